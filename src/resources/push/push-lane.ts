import { newEvent } from '#core/new-event.ts';
import type { Event } from '#eventlog/event-log.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { DeadLetter } from './dead-letter-schema.ts';
import { failureOf, waitAfter } from './delivery.ts';
import type { PushTarget, PushTargetsState } from './push-states.ts';
import { type OutboxDeps, openFold, sendOnce } from './sender.ts';

const BEGINNING = '0'.repeat(20);
const PAGE = 200;
const ENDINGS: readonly string[] = ['task.completed', 'task.failed', 'task.canceled'];
/** The log may be closed to writes for a moment; what was posted is posted again then. */
const RECOVERY_MS = 5_000;

/**
 * What one push config delivers: the events of its Task in their order, each until it arrived or was given up, then the next.
 * How far it came is in the log, so a restart goes on there; what arrived just before a crash arrives again.
 */
export class PushLane {
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
          { err: error, push_config: this.#configId },
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
      const targets = tx.get<Clean<PushTargetsState>>(stateKey.pushTargets(this.#taskId))?.targets ?? [];
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
    const state = this.#deps.log.state<PushTargetsState>(stateKey.pushTargets(this.#taskId));
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
