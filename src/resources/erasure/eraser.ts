import { wasErased } from '#core/erased.ts';
import { idsIn, keysOf, tasksOfSession } from '#core/list-page.ts';
import { newEvent } from '#core/new-event.ts';
import type { Event, EventLog, ResourcePointer, StateReader, Transaction } from '#eventlog/event-log.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import { eraseFrames, sourceOfFork } from '#resources/event/retention.ts';
import type { EmittedKind, PayloadOf } from '#resources/event-payloads.ts';
import { forgetMemory } from '#resources/memory/content.ts';
import { type CleanMemoryState, memoryKeys } from '#resources/memory/state.ts';
import { type MessageState, messageKeys } from '#resources/message/state.ts';
import type { PushTargetsState } from '#resources/push/fold.ts';
import { pushKeys } from '#resources/push/state.ts';
import { type Erasing, SessionRemoval } from '#resources/session/session-removal.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { inputKey, KEY_KINDS, lastSegment } from '#store/keys.ts';
import type { ErasedCounts, ErasedPayload } from './schema.ts';
import { type CleanErasureState, erasureKeys } from './state.ts';

/** Events that lose their words in one transaction: small, so that no request waits behind it. */
const EVENTS = 200;
/** Rows of other kinds that are looked at, and changed, in one transaction. */
const ROWS = 200;
/** How often the rows of a session are gone through, where something was recorded in it meanwhile. */
const TRIES = 3;
/** More tasks than a session has. */
const MANY = 1_000_000;

export interface EraserDeps {
  log: EventLog;
  clock: Clock;
  logger: Logger;
  /** Runs a removal when no other one is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no turn of this Session runs any more. */
  settled(sessionId: string): Promise<void>;
  /** The push configs of a task have changed. */
  wakeOutbox(taskId: string): void;
  /** Signs a head over all receipts that are there: afterwards their leaves are enough. */
  signHead(): Promise<unknown>;
}

/**
 * Carries out erasures. Each step is a small transaction that a later run of the same finds done, so a crash leaves an erasure that goes
 * on, and it ends with the record that it is complete: what was written over is then off the disk too. See README.md.
 */
export class Eraser {
  readonly #deps: EraserDeps;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(deps: EraserDeps) {
    this.#deps = deps;
  }

  /** Takes up every erasure that is not complete; joins a run that is under way and looks once more. */
  async runOpen(): Promise<void> {
    if (this.#stopped) return;
    const before = this.#running;
    const run = (before ?? Promise.resolve()).catch(() => undefined).then(() => this.#runAll());
    this.#running = run;
    try {
      await run;
    } finally {
      if (this.#running === run) this.#running = undefined;
    }
  }

  /** Ends a run after the transaction at hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // Its failure was reported to who started it.
    await this.#running?.catch(() => undefined);
  }

  async #runAll(): Promise<void> {
    const { log, inTurn, logger } = this.#deps;
    if (log.status !== 'open' || log.integrity.status !== 'ok') return;
    const removed: CleanErasure[] = [];
    for await (const key of keysOf(log, erasureKeys.openErasures)) {
      const erasure = log.state<CleanErasureState>(erasureKeys.erasure(lastSegment(key)))?.resource;
      if (this.#stopped || erasure?.state !== 'erasing') continue;
      try {
        await inTurn(() => this.#remove(erasure));
        removed.push(erasure);
      } catch (error) {
        logger.warn({ err: error, erasure: erasure.id }, 'an erasure was interrupted; it goes on soon');
      }
    }
    if (removed.length === 0 || this.#stopped) return;
    await log.purge();
    for (const erasure of removed) {
      await log.transact({ actor: null }, (tx) => {
        if (isOpen(tx, erasure)) append(tx, erasure, 'vendor.harn_gateway.erasure_completed', {});
      });
      logger.info({ erasure: erasure.id, subject: erasure.subject.id }, 'an erasure is complete');
    }
  }

  /** Takes everything away that can be read; throws where that has to wait. */
  async #remove(erasure: CleanErasure): Promise<void> {
    const { log, clock, settled, signHead } = this.#deps;
    const { id: sessionId } = erasure.subject;
    const isStopped = () => this.#stopped;
    for (let tries = TRIES; ; tries -= 1) {
      const session = log.state<SessionFold>(sessionKeys.session(sessionId))?.resource;
      if (session === undefined) break;
      if (tries === 0 || this.#stopped) throw new Error(`${sessionId} is not gone yet`);
      await settled(sessionId);
      await signHead();
      await this.#foldForks(erasure);
      await this.#forgetMemories(erasure);
      await this.#forgetReceivers(erasure);
      await this.#eraseEvents(erasure);
      const removal = new SessionRemoval(log, [session], timestamp(clock.now()), erasing(erasure));
      await removal.run(isStopped, () => undefined);
    }
    await this.#forgetInputs();
    await this.#forgetAnswers(erasure);
  }

  /** A fork was folded from the transcript that goes: what it had copied becomes its base first. */
  async #foldForks(erasure: CleanErasure): Promise<void> {
    const { log } = this.#deps;
    for await (const event of this.#eventsOf(erasure.subject.id)) {
      if (event.event !== 'session.thread_forked') continue;
      const fork = String(event.payload['session_id']);
      if (log.state(sessionKeys.session(fork)) === undefined) continue;
      if (log.isCut(fork)) continue;
      const [first] = await log.eventIds({ kind: 'session', id: fork }, NO_EVENT, 1);
      if (first === undefined) continue;
      const range = { sessionId: fork, afterId: NO_EVENT, throughId: first };
      await log.eraseHistory({ ...range, readsFrom: sourceOfFork, left: () => undefined });
      await log.transact({ actor: null }, (tx) => progress(tx, erasure, {}, { forks: [fromLog(fork)] }));
    }
  }

  async *#eventsOf(sessionId: string): AsyncGenerator<Event, void> {
    for (let after = NO_EVENT, size = EVENTS; size === EVENTS; ) {
      const page = await this.#deps.log.range({ kind: 'session', id: sessionId }, after, EVENTS);
      const events = page.map((bytes): Event => JSON.parse(bytes.toString()));
      yield* events;
      after = events.at(-1)?.id ?? after;
      size = page.length;
    }
  }

  /** Memories of the Session, and those that say that they came from it. */
  async #forgetMemories(erasure: CleanErasure): Promise<void> {
    const { log } = this.#deps;
    const { id: sessionId } = erasure.subject;
    const isOf = ({ resource, internal }: CleanMemoryState): boolean => {
      const { session_id, task_id } = resource.provenance;
      const task =
        typeof task_id === 'string' ? log.state<CleanTaskState>(taskKeys.task(task_id)) : undefined;
      return [internal.session_id, session_id, task?.resource.session_id].includes(sessionId);
    };
    for await (const key of keysOf(log, memoryKeys.memory(''))) {
      const state = log.state<CleanMemoryState>(key);
      if (state === undefined || !isOf(state)) continue;
      const ids = this.#eventsAbout({ object: 'memory', id: state.resource.id });
      await log.eraseWords(ids, withoutDescription, (tx) => {
        const memory = tx.get<CleanMemoryState>(key);
        if (memory === undefined) return;
        forgetMemory(tx, memory, 'erased');
        progress(tx, erasure, { memories: 1 });
      });
    }
  }

  /** The events of a resource, newest first. */
  #eventsAbout(resource: ResourcePointer): string[] {
    const { log } = this.#deps;
    const ids: string[] = [];
    for (let id = log.newestEventOf(resource) ?? null; id !== null; ) {
      ids.push(id);
      id = log.event(id)?.event.previous_event_id ?? null;
    }
    return ids;
  }

  /** Receivers of the events of its tasks. What is on its way to them is not sent any more. */
  async #forgetReceivers(erasure: CleanErasure): Promise<void> {
    const { log, wakeOutbox } = this.#deps;
    for (const taskId of await idsIn(log, tasksOfSession(log, erasure.subject.id), { limit: MANY }))
      for (const { resource } of log.state<Clean<PushTargetsState>>(pushKeys.pushTargets(taskId))?.targets ??
        []) {
        const pointer = { object: 'push_config', id: resource.id };
        await log.eraseWords(this.#eventsAbout(pointer), withoutReceiver, (tx) => {
          if (tx.recorded(inputKey(resource.id)) !== undefined) tx.erase(inputKey(resource.id));
          const { workspace_id } = erasure;
          const payload = { task_id: resource.task_id };
          tx.append(newEvent('vendor.harn_gateway.push_config_deleted', pointer, { workspace_id }, payload));
          tx.afterCommit(() => wakeOutbox(taskId));
        });
      }
  }

  /** Takes the words out of the events, and the frames that refer to them before. */
  async #eraseEvents(erasure: CleanErasure): Promise<void> {
    const { log } = this.#deps;
    const { id: sessionId } = erasure.subject;
    for (let afterId = NO_EVENT; !this.#stopped; ) {
      const page = await log.range({ kind: 'session', id: sessionId }, afterId, EVENTS);
      const events = page.map((bytes): Event => JSON.parse(bytes.toString()));
      const last = events.at(-1);
      if (last === undefined) return;
      const tasks = new Set(events.flatMap(({ task_id }) => task_id ?? []));
      for (const taskId of tasks) await eraseFrames(log, taskId, () => false);
      const count = await log.eraseHistory({
        sessionId,
        afterId,
        throughId: last.id,
        readsFrom: sourceOfFork,
        left: (event) => leftOf(event, erasure),
      });
      if (count > 0) await log.transact({ actor: null }, (tx) => progress(tx, erasure, { events: count }));
      afterId = last.id;
    }
  }

  /** Inputs that were kept for an agent, of what is gone. */
  async #forgetInputs(): Promise<void> {
    const { log } = this.#deps;
    const isGone = (id: string) =>
      [taskKeys.task(id), messageKeys.message(id)].every((key) => log.state(key) === undefined);
    const gone: string[] = [];
    for await (const key of keysOf(log, KEY_KINDS.input.prefix))
      if (/^s\/(task|message)_/.test(key) && isGone(lastSegment(key))) gone.push(lastSegment(key));
    if (gone.length === 0) return;
    await log.transact({ actor: null }, (tx) => {
      for (const id of gone) if (tx.recorded(inputKey(id)) !== undefined) tx.erase(inputKey(id));
    });
  }

  /** A retry of what was answered is told that it was erased, and does nothing a second time. */
  async #forgetAnswers(erasure: CleanErasure): Promise<void> {
    const { log } = this.#deps;
    const { id: sessionId } = erasure.subject;
    let naming: string[] = [];
    const rewrite = async () => {
      const keys = naming;
      naming = [];
      if (keys.length === 0) return;
      await log.transact({ actor: null }, (tx) => {
        for (const key of keys) {
          const answer = tx.recorded(key);
          if (answer !== undefined) tx.record(key, erasedAnswer(answer, erasure));
        }
        progress(tx, erasure, { answers: keys.length });
      });
    };
    for await (const key of keysOf(log, KEY_KINDS.idempotency.prefix)) {
      const answer = log.record(key);
      if (answer?.includes(sessionId) && tellsOf(answer)) naming.push(key);
      if (naming.length === ROWS) await rewrite();
    }
    await rewrite();
  }
}

type CleanErasure = CleanErasureState['resource'];

/** Nothing of what an event said, and by which erasure. */
function leftOf(event: Event, { id, created_at }: CleanErasure) {
  if ('erased' in event.payload) return undefined;
  const payload: ErasedPayload = { erased: { erasure_id: id, erased_at: created_at } };
  return { payload, metadata: {} };
}

/** A Memory that is forgotten folds to nothing, whatever was said about it. */
function withoutDescription({ event, payload, metadata }: Event) {
  if (event !== 'vendor.harn_gateway.memory_created') return undefined;
  const memory = { ...(payload['memory'] as JsonObject), provenance: {}, metadata: {} };
  return { payload: { ...payload, memory }, metadata };
}

/** So does a push config that is deleted. */
function withoutReceiver({ event, payload, metadata }: Event) {
  if (event !== 'vendor.harn_gateway.push_config_set') return undefined;
  const push_config = { ...(payload['push_config'] as JsonObject), url: 'erased:', client_id: null };
  return { payload: { ...payload, push_config }, metadata };
}

function erasing(erasure: CleanErasure): Erasing {
  const part = { type: 'text', text: `[erased by ${erasure.id}]`, visibility: 'public' } as const;
  return {
    erasureId: erasure.id,
    blank: ({ resource, internal }: MessageState): MessageState => ({
      resource: { ...resource, parts: [part], metadata: {} },
      internal,
    }),
    record: (tx, { ids, receipts }) => {
      const [tasks = [], messages = [], artifacts = []] = [ids['task'], ids['message'], ids['artifact']];
      const removed = {
        tasks: tasks.length,
        messages: messages.length,
        artifacts: artifacts.length,
        receipts: receipts.length,
      };
      progress(tx, erasure, removed, { task_ids: fromLog([...tasks]), receipts: fromLog([...receipts]) });
    },
  };
}

type Progress = Clean<PayloadOf<'vendor.harn_gateway.erasure_progressed'>>;

function progress(
  tx: Transaction,
  erasure: CleanErasure,
  removed: Partial<ErasedCounts>,
  named: Partial<Omit<Progress, 'removed'>> = {},
): void {
  const payload = { removed, task_ids: [], receipts: [], forks: [], ...named };
  append(tx, erasure, 'vendor.harn_gateway.erasure_progressed', payload);
}

function append<Kind extends EmittedKind & `vendor.harn_gateway.erasure_${string}`>(
  tx: Transaction,
  { id, workspace_id }: CleanErasure,
  kind: Kind,
  payload: Clean<PayloadOf<Kind>>,
): void {
  tx.append(newEvent(kind, { object: 'erasure', id }, { workspace_id }, payload));
}

function isOpen(reader: StateReader, { id }: CleanErasure): boolean {
  return reader.get<CleanErasureState>(erasureKeys.erasure(id))?.resource.state === 'erasing';
}

/** Whether a kept answer tells what was in the session; records of the erasure and of holds stay. */
function tellsOf(answer: Buffer): boolean {
  const { body, error } = JSON.parse(answer.toString()) as KeptAnswer;
  return error?.details?.['erased'] !== true && !['erasure', 'hold'].includes(String(body?.['object']));
}

interface KeptAnswer {
  body_hash: string;
  expires_at: string;
  body?: JsonObject;
  error?: { details?: JsonObject };
}

function erasedAnswer(answer: Buffer, { id, created_at }: CleanErasure): string {
  const { body_hash, expires_at } = JSON.parse(answer.toString()) as KeptAnswer;
  const { code, message, details } = wasErased('resource', { erasure_id: id, erased_at: created_at });
  return JSON.stringify({ body_hash, expires_at, error: { code, message, details } });
}
