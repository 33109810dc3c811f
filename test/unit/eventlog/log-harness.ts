import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLog } from '#eventlog/check-log.ts';
import type { EventLog, NewEvent, Projection } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { type EventLogOptions, openEventLog } from '#eventlog/open-log.ts';
import type { Timers } from '#eventlog/timers.ts';
import { fromLog } from '#protocol/clean.ts';
import type { Logger } from '#protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '#receipts/key-registry.ts';
import { listKey, resourceKey } from '#store/keys.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';

export const NOBODY = { actor: null };
export const START_MS = Date.parse('2026-11-21T00:00:00.000Z');

/** What the test projection folds per resource. */
export interface Tally {
  count: number;
  last: string;
  note?: string;
}

/** Counts the events of each resource and lists the resources; `payload.drop` takes one off the list and deletes it. */
export const tally: Projection = (event, states) => {
  const { object, id } = event.resource;
  const key = resourceKey(object, id);
  const before = states.get<Tally>(key);
  if (event.payload['drop'] === true) {
    states.set(key, undefined);
    states.unindex(listKey(object, id));
    return;
  }
  const note = event.payload['note'];
  states.set(key, {
    count: (before?.count ?? 0) + 1,
    last: event.id,
    ...(typeof note === 'string' ? { note } : {}),
  });
  if (before === undefined) states.index(listKey(object, id));
};

export class SettableClock {
  ms = START_MS;
  now(): number {
    return this.ms;
  }
  /** Set where the two clocks part. */
  monotonicMs: number | undefined;
  monotonic(): number {
    return this.monotonicMs ?? this.ms;
  }
}

/** Timers that run when the test says so. */
export class ManualTimers implements Timers {
  readonly #due = new Map<number, { run: () => void; delayMs: number }>();
  #next = 0;

  after(delayMs: number, run: () => void): () => void {
    const id = this.#next++;
    this.#due.set(id, { run, delayMs });
    return () => void this.#due.delete(id);
  }

  get delays(): number[] {
    return [...this.#due.values()].map(({ delayMs }) => delayMs);
  }

  fire(): void {
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const { run } of due) run();
  }
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

let seed = 0;
const random = {
  bytes(size: number): Uint8Array {
    seed += 1;
    return new Uint8Array(size).map((_, at) => (seed * 31 + at * 7) % 251);
  },
};

/** Comma-separated NATS servers with JetStream on which the logs of tests are, instead of LevelDB alone. */
const NATS_URLS = process.env['HARN_LOG_ON_NATS'];

/** Whether a log is read again from elsewhere when its directory is gone. */
export const IS_REPLICATED = NATS_URLS !== undefined;
/** Writes of an opened store before the first commit: its schema record, which a replicated log is opened with. */
export const WRITES_AT_START = IS_REPLICATED ? 0 : 1;

async function openStore(level: LevelStoreOptions): Promise<Store> {
  if (NATS_URLS === undefined) return openLevelStore(level);
  const { openJetStreamFor } = await import('../../harness/jetstream-store.ts');
  return openJetStreamFor(NATS_URLS.split(','), level);
}

/** A data directory of its own, on a real LevelDB store. Stores are opened through it, so that it can close them. */
export class LogDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'harn-log-'));
  readonly clock = new SettableClock();
  readonly timers = new ManualTimers();
  readonly checkpointPath = join(this.path, 'checkpoint.json');
  readonly #opened: { close(): Promise<void> }[] = [];

  async store(): Promise<Store> {
    const store = await openStore({ path: join(this.path, 'log') });
    this.#opened.push(store);
    return store;
  }

  keys(): KeyRegistry {
    return openKeyRegistry({ dir: join(this.path, 'keys'), clock: this.clock, random });
  }

  #options(store: Store): EventLogOptions {
    const { clock, timers, checkpointPath } = this;
    return {
      store,
      keys: this.keys(),
      clock,
      random,
      timers,
      logger: silent,
      projection: tally,
      checkpointPath,
    };
  }

  async open(change: Partial<EventLogOptions> = {}): Promise<EventLog> {
    const log = await openEventLog({ ...this.#options(change.store ?? (await this.store())), ...change });
    this.#opened.push(log);
    return log;
  }

  async remove(): Promise<void> {
    for (const opened of this.#opened.reverse()) await opened.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A plain event about one task. */
export function noted(id: string, note: string, more: Partial<NewEvent> = {}): NewEvent {
  return { event: 'task.submitted', resource: { object: 'task', id }, payload: fromLog({ note }), ...more };
}

export async function append(log: EventLog, ...events: NewEvent[]): Promise<string[]> {
  return log.transact(NOBODY, (tx) => events.map((event) => tx.append(event).id));
}

/** Lets pending I/O and ticks go on until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** What the check of a closed log finds in its store. */
export async function findingsOf(store: Store): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const step of checkLog({ store, projection: tally }))
    if (step.kind === 'finding') findings.push(step.finding);
  return findings;
}
