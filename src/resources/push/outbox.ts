import { newEvent } from '#core/new-event.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { Event } from '#eventlog/event-log.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import { failureOf, waitAfter } from './delivery.ts';
import type { DeadLetterState, PushTarget, PushTargetsState } from './fold.ts';
import type { DeadLetter, PushConfig } from './schema.ts';
import { type OutboxDeps, openFold, sendOnce } from './sender.ts';
import { pushKeys } from './state.ts';

const MANY = 100_000;
const PAGE = 200;
const BEGINNING = '0'.repeat(20);

/** Delivers what the log says is to be delivered: one lane for each push config, and dead letters that people send again. */
export class Outbox {
  readonly #deps: OutboxDeps;
  /** By task, then by config. */
  readonly #lanes = new Map<string, Map<string, PushLane>>();
  readonly #stopped = new AbortController();
  readonly #retries = new Map<string, Promise<void>>();
  #untail: () => void = () => undefined;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Takes up what was under way at the last stop. */
  async start(): Promise<void> {
    const { log } = this.#deps;
    this.#untail = log.tail((events) => {
      for (const { event } of events) {
        const { task_id, payload } = event;
        if (task_id !== null && this.#lanes.has(task_id)) this.#kick(task_id);
        // A task of which all is delivered needs no lane any more.
        const isDone = event.event === 'vendor.harn_gateway.push_delivered' && payload['is_last'] === true;
        if (isDone) this.wake(String(payload['task_id']));
      }
    });
    await this.#takeUp(pushKeys.pushingTasks, (taskId) => this.wake(taskId));
    await this.#takeUp(pushKeys.retryingLetters, (id) => this.retry(id));
  }

  /** What is damaged is left out, so that it keeps neither the gateway from starting nor others from being notified. */
  async #takeUp(prefix: string, take: (id: string) => void): Promise<void> {
    const report = (error: unknown) =>
      this.#deps.logger.error({ err: error, list: prefix }, 'deliveries could not be taken up');
    const ids = await this.#listed(prefix).catch((error: unknown) =>
      unlessDamaged(() => raise(error), [], report),
    );
    for (const id of ids) unlessDamaged(() => take(id), undefined, report);
  }

  /** The push configs of a task have changed. */
  wake(taskId: string): void {
    if (this.#stopped.signal.aborted) return;
    const state = this.#deps.log.state<PushTargetsState>(pushKeys.pushTargets(taskId));
    const open = (state?.targets ?? []).filter(({ is_done }) => !is_done);
    const before = this.#lanes.get(taskId) ?? new Map<string, PushLane>();
    const now = new Map<string, PushLane>();
    for (const target of open) {
      const { id } = target.resource;
      now.set(id, before.get(id) ?? new PushLane(this.#deps, target));
    }
    for (const [id, lane] of before) if (!now.has(id)) lane.close();
    if (now.size === 0) this.#lanes.delete(taskId);
    else this.#lanes.set(taskId, now);
    this.#kick(taskId);
  }

  /** A dead letter is to be posted once more; while that is under way, asking again changes nothing. */
  retry(deadLetterId: string): void {
    if (this.#stopped.signal.aborted || this.#retries.has(deadLetterId)) return;
    const run = this.#resend(deadLetterId)
      .catch((error: unknown) =>
        this.#deps.logger.warn({ err: error, dead_letter: deadLetterId }, 'dead letter not sent again'),
      )
      .finally(() => this.#retries.delete(deadLetterId));
    this.#retries.set(deadLetterId, run);
  }

  /** Stops posting; what is not settled goes on at the next start. */
  async close(): Promise<void> {
    this.#stopped.abort();
    this.#untail();
    for (const lanes of this.#lanes.values()) for (const lane of lanes.values()) lane.close();
    this.#lanes.clear();
    await Promise.all(this.#retries.values());
  }

  #kick(taskId: string): void {
    for (const lane of this.#lanes.get(taskId)?.values() ?? []) lane.kick();
  }

  async #listed(prefix: string): Promise<string[]> {
    const keys = await this.#deps.log.indexKeys({ gt: prefix, lt: `${prefix}~`, limit: MANY });
    return keys.map((key) => key.slice(prefix.length));
  }

  async #resend(id: string): Promise<void> {
    const letter = this.#deps.log.state<Clean<DeadLetterState>>(pushKeys.deadLetter(id))?.resource;
    if (letter === undefined || letter.status !== 'retrying') return;
    const config = this.#configOf(letter);
    const reason = config === undefined ? 'push config deleted' : await this.#sendAll(letter, config);
    if (this.#stopped.signal.aborted) return;
    await this.#deps.log.transact({ actor: null }, (tx) => {
      const attempts = letter.attempts + 1;
      const change =
        reason === undefined
          ? { status: 'delivered' as const, attempts }
          : { status: 'dead' as const, reason: this.#deps.redact(reason).value, attempts };
      const pointer = { object: 'dead_letter', id: letter.id };
      const place = { workspace_id: letter.workspace_id };
      tx.append(newEvent('vendor.harn_gateway.dead_letter_changed', pointer, place, change));
    });
  }

  /** Posts every body of the event again; the first reason why one did not arrive. */
  async #sendAll(letter: DeadLetter, config: PushConfig): Promise<string | undefined> {
    const bodies = await this.#bodiesOf(letter, config);
    if (bodies === undefined) return 'event removed by retention';
    for (const [n, body] of bodies.entries()) {
      const deliveryId = `${config.id}.${letter.event_id}.${n}`;
      const workspaceId = letter.workspace_id;
      const what = { deliveryId, body, workspaceId };
      const failure = failureOf(await sendOnce(this.#deps, config, what, this.#stopped.signal));
      if (failure !== undefined) return failure.reason;
    }
    return undefined;
  }

  /** What is posted for an event depends on those before it, so all of them are read. */
  async #bodiesOf(letter: DeadLetter, config: PushConfig): Promise<readonly JsonValue[] | undefined> {
    const fold = openFold(this.#deps, config);
    for (let after = BEGINNING; ; ) {
      const page = await this.#deps.log.range({ kind: 'task', id: letter.task_id }, after, PAGE);
      for (const bytes of page) {
        const event = JSON.parse(bytes.toString()) as Event;
        const bodies = fold(event);
        if (event.id === letter.event_id) return bodies;
        after = event.id;
      }
      if (page.length < PAGE) return undefined;
    }
  }

  #configOf({ task_id, push_config_id }: DeadLetter): PushConfig | undefined {
    const state = this.#deps.log.state<PushTargetsState>(pushKeys.pushTargets(task_id));
    return state?.targets.find(({ resource }) => resource.id === push_config_id)?.resource;
  }
}

function raise(error: unknown): never {
  throw error;
}

const ENDINGS: readonly string[] = ['task.completed', 'task.failed', 'task.canceled'];
/** The log may be closed to writes for a moment; what was posted is posted again then. */
const RECOVERY_MS = 5_000;

/**
 * What one push config delivers: the events of its Task in their order, each until it arrived or was given up, then the next.
 * How far it came is in the log, so a restart goes on there; what arrived just before a crash arrives again.
 */
class PushLane {
  readonly #deps: OutboxDeps;
  readonly #taskId: string;
  readonly #configId: string;
  readonly #stopped = new AbortController();
  #fold: (event: Event) => readonly JsonValue[];
  /** Newest event that the fold has seen. */
  #seen = BEGINNING;
  #running = false;
  #wanted = false;
  #endWait: () => void = () => undefined;

  readonly #openFold: () => (event: Event) => readonly JsonValue[];

  constructor(deps: OutboxDeps, { resource }: PushTarget) {
    this.#deps = deps;
    this.#taskId = resource.task_id;
    this.#configId = resource.id;
    this.#openFold = () => openFold(deps, resource);
    this.#fold = this.#openFold();
  }

  /** Something may be there to deliver. */
  kick(): void {
    this.#wanted = true;
    if (this.#running || this.#stopped.signal.aborted) return;
    this.#running = true;
    this.#run()
      .catch((error: unknown) => {
        this.#deps.logger.warn(
          { err: error, task_id: this.#taskId, push_config: this.#configId },
          'delivery interrupted; it goes on soon',
        );
        // A fold that saw an event twice would post it wrong, so it begins anew.
        this.#fold = this.#openFold();
        this.#seen = BEGINNING;
        this.#deps.after(RECOVERY_MS, () => this.kick());
      })
      .finally(() => {
        this.#running = false;
      });
  }

  close(): void {
    this.#stopped.abort();
    this.#endWait();
  }

  async #run(): Promise<void> {
    while (this.#wanted && !this.#stopped.signal.aborted) {
      this.#wanted = false;
      await this.#deliverNew();
    }
  }

  async #deliverNew(): Promise<void> {
    const scope = { kind: 'task', id: this.#taskId } as const;
    for (;;) {
      const page = await this.#deps.log.range(scope, this.#seen, PAGE);
      for (const bytes of page) {
        const target = this.#target();
        if (target === undefined || target.is_done) return;
        const event = JSON.parse(bytes.toString()) as Event;
        const isNew = event.id > target.through_event_id;
        const bodies = this.#fold(event);
        if (isNew && !(await this.#deliverEvent(event, bodies, target))) return;
        this.#seen = event.id;
      }
      if (page.length < PAGE) return;
    }
  }

  /** False when the lane was stopped on the way; the event is not settled then. */
  async #deliverEvent(event: Event, bodies: readonly JsonValue[], target: PushTarget): Promise<boolean> {
    const isLast = ENDINGS.includes(event.event);
    let letter: Clean<DeadLetter> | undefined;
    for (const [n, body] of bodies.entries()) {
      const given = await this.#deliver(`${this.#configId}.${event.id}.${n}`, body, event, target);
      if (given === 'stopped') return false;
      letter ??= given;
    }
    if (bodies.length > 0 || isLast) await this.#settle(event, isLast, letter);
    return true;
  }

  /** Tries until it arrives; resolves with the dead letter when it is given up. */
  async #deliver(
    deliveryId: string,
    body: JsonValue,
    event: Event,
    { resource }: PushTarget,
  ): Promise<Clean<DeadLetter> | 'stopped' | undefined> {
    const { clock, giveUpMs } = this.#deps;
    const { signal } = this.#stopped;
    const workspaceId = event.workspace_id ?? '';
    const untilMs = Date.parse(event.created_at) + giveUpMs;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await sendOnce(this.#deps, resource, { deliveryId, body, workspaceId }, signal);
      if (signal.aborted) return 'stopped';
      const failure = failureOf(outcome);
      if (failure === undefined) return undefined;
      const waitMs = waitAfter(attempts, outcome);
      if (failure.isFinal || clock.now() + waitMs > untilMs)
        return this.#letter(event, workspaceId, failure.reason, attempts);
      await this.#wait(waitMs);
      if (signal.aborted) return 'stopped';
    }
  }

  #letter(event: Event, workspace_id: string, reason: string, attempts: number): Clean<DeadLetter> {
    const now = timestamp(this.#deps.clock.now());
    const { newId, redact } = this.#deps;
    return redact<DeadLetter>({
      id: newId('dead_letter'),
      object: 'dead_letter',
      created_at: now,
      updated_at: now,
      metadata: {},
      workspace_id,
      task_id: this.#taskId,
      push_config_id: this.#configId,
      event_id: event.id,
      status: 'dead',
      reason,
      attempts,
      last_attempt_at: now,
    }).value;
  }

  /** How far it came, and what was given up, become durable together. A config deleted meanwhile keeps nothing. */
  async #settle(event: Event, is_last: boolean, letter: Clean<DeadLetter> | undefined): Promise<void> {
    const { workspace_id, id: through_event_id } = fromLog(event);
    const place = { workspace_id };
    await this.#deps.log.transact({ actor: null }, (tx) => {
      const targets = tx.get<Clean<PushTargetsState>>(pushKeys.pushTargets(this.#taskId))?.targets ?? [];
      const config = targets.find(({ resource }) => resource.id === this.#configId)?.resource;
      if (config === undefined) return;
      if (letter) {
        const dead_letter = { ...letter, created_at: tx.time, updated_at: tx.time };
        const pointer = { object: 'dead_letter', id: letter.id };
        tx.append(newEvent('vendor.harn_gateway.delivery_given_up', pointer, place, { dead_letter }));
      }
      const progress = { task_id: config.task_id, through_event_id, is_last };
      const pointer = { object: 'push_config', id: config.id };
      tx.append(newEvent('vendor.harn_gateway.push_delivered', pointer, place, progress));
    });
  }

  #target(): PushTarget | undefined {
    const state = this.#deps.log.state<PushTargetsState>(pushKeys.pushTargets(this.#taskId));
    return state?.targets.find(({ resource }) => resource.id === this.#configId);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#deps.after(ms, resolve);
      this.#endWait = () => {
        stop();
        resolve();
      };
    });
  }
}
