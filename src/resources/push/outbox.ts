import { newEvent } from '#core/new-event.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { Event } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';
import type { DeadLetter } from './dead-letter-schema.ts';
import { failureOf } from './delivery.ts';
import { PushLane } from './push-lane.ts';
import type { DeadLetterState, PushTargetsState } from './push-states.ts';
import type { PushConfig } from './schema.ts';
import { type OutboxDeps, openFold, sendOnce } from './sender.ts';

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
    await this.#takeUp(listPrefix.pushingTasks(), (taskId) => this.wake(taskId));
    await this.#takeUp(listPrefix.retryingLetters(), (id) => this.retry(id));
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
    const state = this.#deps.log.state<PushTargetsState>(stateKey.pushTargets(taskId));
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
    const letter = this.#deps.log.state<Clean<DeadLetterState>>(stateKey.deadLetter(id))?.resource;
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
    const state = this.#deps.log.state<PushTargetsState>(stateKey.pushTargets(task_id));
    return state?.targets.find(({ resource }) => resource.id === push_config_id)?.resource;
  }
}

function raise(error: unknown): never {
  throw error;
}
