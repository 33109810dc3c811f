import type { Event, EventLog } from '../eventlog/event-log.ts';
import { refuseKept } from '../eventlog/retention-rules.ts';
import { listPrefix, stateKey } from '../projections/state-keys.ts';
import type { SessionFold } from '../projections/states.ts';
import { type Clock, type Logger, timestamp } from '../protocol/ports.ts';
import { framesOf, keysUnder, lastSegment } from '../store/keys.ts';
import { type Horizons, SessionHistory } from './removable-history.ts';
import { SweptRanges } from './swept-ranges.ts';

/** Sessions listed, and frames erased, at once. */
const PAGE = 200;

/** How long events are kept, milliseconds; null: for ever. */
export interface RetentionWindow {
  eventsMs: number | null;
  /** For runs of interest; counts where it is longer. */
  interestingMs: number | null;
}

export interface RetentionDeps {
  log: EventLog;
  clock: Clock;
  logger: Logger;
  windowOf(workspaceId: string): RetentionWindow;
  /** Least time between two sweeps. */
  intervalMs: number;
}

/**
 * Removes events and replay material of ended runs behind the window, in small transactions of whole runs, and frees their
 * space. Resources stay. A crash in between leaves work for the next sweep, nothing else. Source: design, "Retention".
 */
export class RetentionSweep {
  readonly #deps: RetentionDeps;
  #dueAtMs = 0;
  #running: Promise<number> | undefined;
  #stopped = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Sweeps when the interval is over; joins a sweep that runs. Returns the events removed. */
  async runIfDue(): Promise<number> {
    const now = this.#deps.clock.monotonic();
    if (this.#running === undefined && now < this.#dueAtMs) return 0;
    this.#dueAtMs = now + this.#deps.intervalMs;
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Ends a running sweep after the transaction at hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // Its failure was told to who started it.
    await this.#running?.catch(() => 0);
  }

  async #sweep(): Promise<number> {
    const { log, logger } = this.#deps;
    const swept = new SweptRanges();
    let removed = 0;
    for await (const key of keysOf(log, listPrefix.everyWorkspace())) {
      if (this.#stopped) break;
      removed += await this.#sweepWorkspace(lastSegment(key), swept);
    }
    while (!this.#stopped && (await log.summariseCommits()) > 0) swept.commits();
    for (const range of swept) if (!this.#stopped) await log.compact(range);
    if (removed === 0) return 0;
    logger.info({ events: removed }, 'retention removed events behind their window');
    return removed;
  }

  async #sweepWorkspace(workspaceId: string, swept: SweptRanges): Promise<number> {
    const { log, windowOf, clock } = this.#deps;
    const horizons = horizonsOf(windowOf(workspaceId), clock.now());
    if (horizons === undefined) return 0;
    let removed = 0;
    for await (const key of keysOf(log, listPrefix.sessions(workspaceId))) {
      const session = log.state<SessionFold>(stateKey.session(lastSegment(key)))?.resource;
      if (session === undefined || session.created_at >= horizons.events) continue;
      removed += await this.#sweepSession(session, horizons, swept);
      if (this.#stopped) break;
    }
    return removed;
  }

  async #sweepSession(
    session: SessionFold['resource'],
    horizons: Horizons,
    swept: SweptRanges,
  ): Promise<number> {
    const { log } = this.#deps;
    const history = new SessionHistory(log, horizons, session);
    let removed = 0;
    for (let next = await history.next(); next && !this.#stopped; next = await history.next()) {
      // Frames go first: a sweep that is cut short here finds their run again by its events.
      for (const taskId of next.tasks) {
        await eraseFrames(log, taskId);
        swept.task(taskId);
      }
      const { firstId, throughId } = next;
      swept.session(session.id, firstId, throughId);
      removed += await log.removeHistory({ sessionId: session.id, throughId, readsFrom: sourceOfFork });
    }
    return removed;
  }
}

function horizonsOf({ eventsMs, interestingMs }: RetentionWindow, now: number): Horizons | undefined {
  if (eventsMs === null) return undefined;
  return {
    events: timestamp(now - eventsMs),
    interesting: interestingMs === null ? null : timestamp(now - interestingMs),
  };
}

async function eraseFrames(log: EventLog, taskId: string): Promise<void> {
  const range = { ...keysUnder(framesOf(taskId)), limit: PAGE };
  for (let keys = await log.indexKeys(range); keys.length > 0; keys = await log.indexKeys(range)) {
    const batch = keys;
    await log.transact({ actor: null }, (tx) => {
      for (const key of batch) {
        refuseKept(key);
        tx.erase(key);
      }
    });
  }
}

/** A fork begins with a copy of another session's turns. */
function sourceOfFork({ event, payload }: Event): string | undefined {
  const { forked } = payload as { forked?: { session_id: string } };
  return event === 'session.created' ? forked?.session_id : undefined;
}

async function* keysOf(log: EventLog, prefix: string): AsyncGenerator<string, void> {
  const { gte, lt } = keysUnder(prefix);
  let page = await log.indexKeys({ gte, lt, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await log.indexKeys({ gt: page.at(-1) ?? lt, lt, limit: PAGE });
  }
}
