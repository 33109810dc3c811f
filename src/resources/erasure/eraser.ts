import { wasErased } from '#core/erased.ts';
import { idsIn, keysOf, tasksOfSession } from '#core/list-page.ts';
import { newEvent, placeOfArtifact } from '#core/new-event.ts';
import type { Event, EventLog, HistoryErasure, StateReader, Transaction } from '#eventlog/event-log.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { type Clean, type CleanText, fromLog, word } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import { ERASED } from '#resources/artifact/fold.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import { dropUnreferenced } from '#resources/artifact/stored-bytes.ts';
import { contentOfArtifact } from '#resources/artifact/stored-content.ts';
import { eraseFrames, sourceOfFork } from '#resources/event/retention.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { holdOn } from '#resources/hold/held.ts';
import { forgetMemory } from '#resources/memory/content.ts';
import { type CleanMemoryState, memoryKeys } from '#resources/memory/state.ts';
import { messageKeys } from '#resources/message/state.ts';
import type { PushTargetsState } from '#resources/push/fold.ts';
import { pushKeys } from '#resources/push/state.ts';
import { SessionRemoval } from '#resources/session/session-removal.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { inputKey, KEY_KINDS, lastSegment } from '#store/keys.ts';
import { type ActorTraces, everyEvent, type SessionTraces, tracesOf } from './actor-traces.ts';
import { partOf } from './part-of-session.ts';
import { type CleanErasureState, erasureKeys } from './state.ts';
import {
  append,
  type CleanErasure,
  erasing,
  eventsAbout,
  progress,
  withoutContent,
  withoutDescription,
  withoutReceiver,
} from './steps.ts';
import { erasedWhole, leftOfShared } from './words-left.ts';

/** Events that lose their words in one transaction: small, so that no request waits behind it. */
const EVENTS = 200;
/** Rows of other kinds that are looked at, and changed, in one transaction. */
const ROWS = 200;
/** How often the rows of a session are gone through, where something was recorded in it meanwhile. */
const TRIES = 3;
/** The same for the rows of a session that goes on. */
const TRIES_SHARED = 20;
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
  /** Whether an agent has this name. */
  isAgent(actor: string): boolean;
  /** Cancels what a Session still has open, and closes it. */
  endSession(tx: Transaction, sessionId: string): void;
  /** Cancels those of these Tasks of a Session that are still open. */
  endTasks(tx: Transaction, sessionId: string, taskIds: ReadonlySet<string>): void;
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
    const { id, object } = erasure.subject;
    if (object === 'actor') return this.#removeActor(erasure, id);
    await this.#removeSession(erasure, id);
    await this.#forgetDeleted(erasure, id);
    await this.#forgetInputs();
    await this.#forgetAnswers(erasure, (answer) => answer.includes(id));
  }

  async #removeSession(erasure: CleanErasure, sessionId: string): Promise<void> {
    const { log, clock, settled, signHead } = this.#deps;
    const isStopped = () => this.#stopped;
    for (let tries = TRIES; ; tries -= 1) {
      const session = this.#session(sessionId);
      if (session === undefined) return;
      if (tries === 0 || this.#stopped) throw new Error(`${sessionId} is not gone yet`);
      await settled(sessionId);
      await signHead();
      await this.#forgetMemories(erasure, (memory) => this.#isOfSession(memory, sessionId));
      await this.#forgetReceivers(erasure, await idsIn(log, tasksOfSession(log, sessionId), { limit: MANY }));
      await this.#eraseEvents(erasure, sessionId, {
        tasks: undefined,
        left: (event) => erasedWhole(event, erasure),
      });
      const removal = new SessionRemoval(log, [session], timestamp(clock.now()), erasing(erasure));
      await removal.run(isStopped, () => undefined);
    }
  }

  #session(id: string): SessionFold['resource'] | undefined {
    return this.#deps.log.state<SessionFold>(sessionKeys.session(id))?.resource;
  }

  /** What an actor has left in a Workspace, Session by Session: whole where nobody else was in it, else the actor's part. */
  async #removeActor(erasure: CleanErasure, actor: string): Promise<void> {
    const { log, isAgent } = this.#deps;
    const { id: erasureId, workspace_id: workspaceId } = erasure;
    const tenant =
      log.state<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId))?.internal.tenant ?? '';
    const traces = await tracesOf(log, { actor, workspaceId, tenant, erasureId, isAgent });
    const held = new Set<string>();
    // All of them first: what goes before its Session must not be of one that a hold keeps meanwhile.
    for (const { id, isShared } of traces.sessions) {
      if (this.#session(id) === undefined) continue;
      const ids = fromLog([id]);
      const of_actor = isShared ? { shared: ids } : { resources: ids };
      const hasBegun = await this.#begins(erasure, id, (tx) => progress(tx, erasure, {}, { of_actor }));
      if (!hasBegun) held.add(id);
    }
    const gone = new Set([...traces.memories, ...traces.artifacts]);
    for (const { id, isShared, ...own } of traces.sessions) {
      if (held.has(id)) continue;
      if (!isShared || own.isMaker) gone.add(id);
      for (const ids of [own.tasks, own.messages, own.artifacts]) for (const one of ids) gone.add(one);
    }
    // Before their Sessions, whose base would keep them.
    await this.#forgetMemories(erasure, (memory) => this.#isOfActor(memory, traces, gone, held));
    await this.#forgetLoose(erasure, traces, held);
    for (const session of traces.sessions) {
      if (this.#stopped) throw new Error('stopped');
      if (held.has(session.id) || this.#session(session.id) === undefined) continue;
      if (session.isShared) await this.#removeFromSession(erasure, actor, session);
      else await this.#removeWhole(erasure, session.id);
    }
    await this.#forgetInputs(
      traces.sessions.flatMap(({ id, messages }) => (held.has(id) ? [] : [...messages])),
    );
    await this.#forgetAnswers(erasure, (answer) => namesAnyOf(answer, gone));
  }

  #holdOn(sessionId: string) {
    const { log, clock } = this.#deps;
    return holdOn({ get: log.state.bind(log) }, sessionId, timestamp(clock.now()));
  }

  /**
   * Begins on a Session, with a record of it after which no hold is placed there any more; false for a Session that a hold keeps,
   * which is recorded.
   */
  async #begins(
    erasure: CleanErasure,
    sessionId: string,
    begin: (tx: Transaction) => void,
  ): Promise<boolean> {
    let isHeld = false;
    await this.#deps.log.transact({ actor: null }, (tx) => {
      const hold = holdOn(tx, sessionId, tx.time);
      isHeld = hold !== undefined;
      if (hold === undefined) return begin(tx);
      const held = fromLog([{ session_id: sessionId, hold_id: hold.id }]);
      progress(tx, erasure, {}, { of_actor: { held } });
    });
    return !isHeld;
  }

  async #removeWhole(erasure: CleanErasure, sessionId: string): Promise<void> {
    const { log, endSession } = this.#deps;
    await log.transact({ actor: null }, (tx) => endSession(tx, sessionId));
    await this.#removeSession(erasure, sessionId);
    const sessions = fromLog([sessionId]);
    await log.transact({ actor: null }, (tx) => progress(tx, erasure, {}, { of_actor: { sessions } }));
  }

  /** The actor's runs go, and the words that the actor left in those of others. */
  async #removeFromSession(erasure: CleanErasure, actor: string, traces: SessionTraces): Promise<void> {
    const { log, clock, settled, signHead, endTasks } = this.#deps;
    const { id: sessionId } = traces;
    const isHeld = () => this.#holdOn(sessionId) !== undefined;
    const named = {
      shared: fromLog([sessionId]),
      unreplayable: fromLog([...traces.others]),
    };
    for (let tries = TRIES_SHARED; ; tries -= 1) {
      const session = this.#session(sessionId);
      if (session === undefined) return;
      if (tries === 0 || this.#stopped) throw new Error(`${sessionId} was worked in all the time`);
      await log.transact({ actor: null }, (tx) => {
        endTasks(tx, sessionId, traces.tasks);
        // Said before it is so: nobody finds a run without its material and no word of why.
        progress(tx, erasure, {}, { of_actor: named });
      });
      await settled(sessionId);
      await signHead();
      await this.#forgetReceivers(erasure, [...traces.tasks]);
      await this.#eraseEvents(erasure, sessionId, {
        tasks: new Set([...traces.tasks, ...traces.others]),
        left: (event) => leftOfShared(event, traces, actor, erasure),
        isHeld,
      });
      const part = erasing(erasure, partOf(traces, erasure.id));
      const removal = new SessionRemoval(log, [session], timestamp(clock.now()), part);
      if (
        (await removal.run(
          () => this.#stopped,
          () => undefined,
        )) === 1
      )
        return;
    }
  }

  #isOfSession({ resource, internal }: CleanMemoryState, sessionId: string): boolean {
    const { session_id, task_id } = resource.provenance;
    const task =
      typeof task_id === 'string' ? this.#deps.log.state<CleanTaskState>(taskKeys.task(task_id)) : undefined;
    const owners: unknown[] = [internal.session_id, session_id, task?.resource.session_id];
    return owners.includes(sessionId);
  }

  #isOfActor(
    { resource, internal }: CleanMemoryState,
    { memories }: ActorTraces,
    gone: ReadonlySet<string>,
    held: ReadonlySet<string>,
  ): boolean {
    if (internal.session_id !== null && held.has(internal.session_id)) return false;
    const { session_id, task_id } = resource.provenance;
    return (
      memories.has(resource.id) || [session_id, task_id].some((id) => typeof id === 'string' && gone.has(id))
    );
  }

  /** What an actor made outside of Sessions: receivers of the events of others, and Artifacts. */
  async #forgetLoose(erasure: CleanErasure, traces: ActorTraces, held: ReadonlySet<string>): Promise<void> {
    const { log } = this.#deps;
    const isOfHeld = (sessionId: unknown) => held.has(String(sessionId));
    for (const id of traces.pushConfigs) {
      const ids = eventsAbout(log, { object: 'push_config', id });
      const set = ids.map((one) => log.event(one)?.event).find((one) => one && withoutReceiver(one));
      const config = set?.payload as PayloadOf<'vendor.harn_gateway.push_config_set'> | undefined;
      if (config === undefined || isOfHeld(config.session_id)) continue;
      await this.#forgetReceiver(fromLog(id), fromLog(config.push_config.task_id), erasure.workspace_id);
    }
    for (const id of traces.artifacts) await this.#forgetArtifact(erasure, id);
    await this.#forgetDescriptions(
      (event) => traces.memories.has(event.resource.id) && !isOfHeld(event.session_id),
    );
  }

  /** Its content goes, and what was said of it; that it was there stays, since others may name it. */
  async #forgetArtifact(erasure: CleanErasure, id: string): Promise<void> {
    const { log } = this.#deps;
    const pointer = { object: 'artifact', id: fromLog(id) };
    const ids = eventsAbout(log, pointer);
    const isErased = ids.some((one) => log.event(one)?.event.payload['reason'] === ERASED);
    if (isErased) return;
    await log.eraseWords(ids, withoutContent, (tx) => {
      const artifact = tx.get<CleanArtifactState>(artifactKeys.artifact(id));
      if (artifact === undefined) return;
      const payload = { artifact_id: pointer.id, reason: word(ERASED) };
      tx.append(newEvent('artifact.redacted', pointer, placeOfArtifact(artifact.resource), payload));
      dropUnreferenced(tx, contentOfArtifact(artifact));
      progress(tx, erasure, { artifacts: 1 });
    });
  }

  /** A fork was folded from the transcript that goes: what it had copied becomes its base first. */
  async #foldFork(erasure: CleanErasure, { payload }: Event): Promise<void> {
    const { log } = this.#deps;
    const fork = fromLog(String(payload['session_id']));
    if (log.state(sessionKeys.session(fork)) === undefined) return;
    if (!log.isCut(fork)) {
      const [first] = await log.eventIds({ kind: 'session', id: fork }, NO_EVENT, 1);
      if (first === undefined) return;
      const range = { sessionId: fork, afterId: NO_EVENT, throughId: first };
      await log.eraseHistory({ ...range, readsFrom: sourceOfFork, left: () => undefined });
    }
    const known = log.state<CleanErasureState>(erasureKeys.erasure(erasure.id))?.resource.forks ?? [];
    if (known.includes(fork)) return;
    await log.transact({ actor: null }, (tx) => progress(tx, erasure, {}, { forks: [fork] }));
  }

  async #forgetMemories(erasure: CleanErasure, isOf: (memory: CleanMemoryState) => boolean): Promise<void> {
    const { log } = this.#deps;
    for await (const key of keysOf(log, memoryKeys.memory(''))) {
      const state = log.state<CleanMemoryState>(key);
      if (state === undefined || !isOf(state)) continue;
      const ids = eventsAbout(log, { object: 'memory', id: state.resource.id });
      await log.eraseWords(ids, withoutDescription, (tx) => {
        const memory = tx.get<CleanMemoryState>(key);
        if (memory === undefined) return;
        forgetMemory(tx, memory, 'erased');
        progress(tx, erasure, { memories: 1 });
      });
    }
  }

  /** Receivers of the events of Tasks. What is on its way to them is not sent any more. */
  async #forgetReceivers({ workspace_id }: CleanErasure, taskIds: readonly string[]): Promise<void> {
    const { log } = this.#deps;
    for (const taskId of taskIds)
      for (const { resource } of log.state<Clean<PushTargetsState>>(pushKeys.pushTargets(taskId))?.targets ??
        [])
        await this.#forgetReceiver(resource.id, resource.task_id, workspace_id);
  }

  async #forgetReceiver(id: CleanText, task_id: CleanText, workspace_id: CleanText): Promise<void> {
    const { log, wakeOutbox } = this.#deps;
    const pointer = { object: 'push_config', id };
    await log.eraseWords(eventsAbout(log, pointer), withoutReceiver, (tx) => {
      if (tx.recorded(inputKey(id)) !== undefined) tx.erase(inputKey(id));
      const targets = tx.get<PushTargetsState>(pushKeys.pushTargets(task_id))?.targets ?? [];
      if (!targets.some(({ resource }) => resource.id === id)) return;
      tx.append(newEvent('vendor.harn_gateway.push_config_deleted', pointer, { workspace_id }, { task_id }));
      tx.afterCommit(() => wakeOutbox(task_id));
    });
  }

  /** What was said of Memories and receivers of a Session that had been deleted before. */
  async #forgetDeleted(erasure: CleanErasure, sessionId: string): Promise<void> {
    const [first] = await this.#deps.log.eventIds({ kind: 'session', id: sessionId }, NO_EVENT, 1);
    const tasks = new Set<string>();
    await this.#forgetDescriptions((event) => {
      const { session_id, task_id, workspace_id, payload } = event;
      if (workspace_id !== erasure.workspace_id) return false;
      if (session_id === sessionId && task_id !== null) tasks.add(task_id);
      if (payload['session_id'] === sessionId) return true;
      const { provenance } = objectOf(payload['memory']);
      const of = objectOf(provenance);
      return of['session_id'] === sessionId || tasks.has(String(of['task_id']));
    }, first);
  }

  /** Takes the words out of what tells of Memories and receivers that are not there any more. */
  async #forgetDescriptions(isOf: (event: Event) => boolean, fromId?: string): Promise<void> {
    const { log } = this.#deps;
    const isThere = ({ resource, payload }: Event): boolean => {
      if (resource.object === 'memory') return log.state(memoryKeys.memory(resource.id)) !== undefined;
      const taskId = String(objectOf(payload['push_config'])['task_id']);
      const { targets } = log.state<PushTargetsState>(pushKeys.pushTargets(taskId)) ?? { targets: [] };
      return targets.some((target) => target.resource.id === resource.id);
    };
    const leftOf = (event: Event) => withoutDescription(event) ?? withoutReceiver(event);
    for await (const event of everyEvent(log, fromId)) {
      if (!isOf(event) || 'erased' in event.payload) continue;
      const left = leftOf(event);
      if (
        left === undefined ||
        JSON.stringify(left.payload) === JSON.stringify(event.payload) ||
        isThere(event)
      )
        continue;
      await log.eraseWords([event.id], leftOf, () => undefined);
    }
  }

  /** Takes the words out of the events, and the frames that refer to them before: of the named tasks, or of all. */
  async #eraseEvents(
    erasure: CleanErasure,
    sessionId: string,
    {
      tasks,
      left,
      isHeld,
    }: {
      tasks: ReadonlySet<string> | undefined;
      left: HistoryErasure['left'];
      isHeld?: () => boolean;
    },
  ): Promise<void> {
    const { log } = this.#deps;
    for (let afterId = NO_EVENT; !this.#stopped; ) {
      const page = await log.range({ kind: 'session', id: sessionId }, afterId, EVENTS);
      const events = page.map((bytes): Event => JSON.parse(bytes.toString()));
      const last = events.at(-1);
      if (last === undefined) return;
      // In the page that loses its words, so that a fork made meanwhile is not missed.
      for (const event of events)
        if (event.event === 'session.thread_forked') await this.#foldFork(erasure, event);
      const ids = new Set(events.flatMap(({ task_id }) => task_id ?? []));
      for (const taskId of ids)
        if (tasks === undefined || tasks.has(taskId))
          await eraseFrames(log, taskId, () => isHeld?.() === true);
      const count = await log.eraseHistory({
        sessionId,
        afterId,
        throughId: last.id,
        readsFrom: sourceOfFork,
        left,
        ...(isHeld && { isKept: isHeld }),
      });
      if (count > 0) await log.transact({ actor: null }, (tx) => progress(tx, erasure, { events: count }));
      afterId = last.id;
    }
  }

  /** Inputs that were kept for an agent, of what is gone, and of these Messages. */
  async #forgetInputs(messages: readonly string[] = []): Promise<void> {
    const { log } = this.#deps;
    const isGone = (id: string) =>
      [taskKeys.task(id), messageKeys.message(id)].every((key) => log.state(key) === undefined);
    const gone: string[] = [...messages];
    for await (const key of keysOf(log, KEY_KINDS.input.prefix))
      if (/^s\/(task|message)_/.test(key) && isGone(lastSegment(key))) gone.push(lastSegment(key));
    if (gone.length === 0) return;
    await log.transact({ actor: null }, (tx) => {
      for (const id of gone) if (tx.recorded(inputKey(id)) !== undefined) tx.erase(inputKey(id));
    });
  }

  /** A retry of what was answered is told that it was erased, and does nothing a second time. */
  async #forgetAnswers(erasure: CleanErasure, tells: (answer: Buffer) => boolean): Promise<void> {
    const { log } = this.#deps;
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
      if (answer && tells(answer) && isOfContent(answer)) naming.push(key);
      if (naming.length === ROWS) await rewrite();
    }
    await rewrite();
  }
}

/** Ids of resources as they stand in a text. */
const IDS = /[a-z_]+_[0-9A-Z]{26}/g;

function namesAnyOf(answer: Buffer, ids: ReadonlySet<string>): boolean {
  return (answer.toString().match(IDS) ?? []).some((id) => ids.has(id));
}

function isOpen(reader: StateReader, { id }: CleanErasure): boolean {
  return reader.get<CleanErasureState>(erasureKeys.erasure(id))?.resource.state === 'erasing';
}

/** Whether a kept answer tells what was in the session; records of the erasure and of holds stay. */
function isOfContent(answer: Buffer): boolean {
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
