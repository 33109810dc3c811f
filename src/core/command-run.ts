import type { Caller } from '#auth/caller.ts';
import type { EventLog, Origin, Transaction } from '#eventlog/event-log.ts';
import type { Call, CallHead } from '#gateway.ts';
import { AT_ONCE_BYTES, jsonSize } from '#json/large-json.ts';
import { type Clean, own } from '#protocol/clean.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import { parseTraceparent } from '#protocol/trace-context.ts';
import { branchKeys, type CleanBranchState } from '#resources/branch/state.ts';
import { type CleanHoldState, holdKeys } from '#resources/hold/state.ts';
import { type CommandId, operation } from '#resources/operations.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type CleanKeyedSessionState, type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { Command, Commands, Decided, Deferred, Effect, EffectResult } from './command.ts';
import {
  type DecodedInput,
  decodeInput,
  isRawBody,
  isSpooledBody,
  refuseLargeMembers,
  refuseOtherWords,
} from './decode-input.ts';
import type { ResolvedCaller } from './door.ts';
import type { CallerName, DecisionTools, Facts } from './facts.ts';
import {
  bodyHash,
  type CreatePlace,
  canonicalTarget,
  findAnswer,
  type KeyRecord,
  keepAnswer,
  keepRefusal,
  placesOfCreate,
  recordKeyOf,
} from './idempotency.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import { isMemberOf } from './load.ts';
import type { ReadAhead } from './read-ahead.ts';
import { policyCode, type Refusals } from './refusals.ts';

/** What running commands needs. */
export interface CommandDeps {
  /** What each command of the operations table does. */
  commands: Commands;
  log: EventLog;
  tools: DecisionTools;
  newTraceId(): string;
  /** Does what a command named; rejects with a ProtocolError when it could not be done. `signal`: the caller went away. */
  perform(effect: Effect, signal: AbortSignal): Promise<EffectResult>;
  readAhead: ReadAhead;
  /** Waits, bounded, until an accepted task leaves the queue; the task then, or undefined when it did not. */
  awaitStart(taskId: string, signal: AbortSignal): Promise<object | undefined>;
  refusals: Refusals;
  idempotencyWindowMs: number;
  /** Epoch milliseconds by which that window is counted. */
  windowNow(): number;
}

/** The Task was there. */
const RETRIED_CREATE = 200;

/** What a command answered; `repeated` when it was a stored answer. */
interface Outcome {
  decided: Decided;
  repeated: boolean;
}

/** One command call: finds a stored answer or decides, in one transaction; twice when it waits in between. */
export class CommandRun {
  readonly #deps: CommandDeps;
  readonly #id: CommandId;
  readonly #command: Command<CommandId>;
  readonly #call: Call;
  /** Its body, where that is JSON. */
  readonly #json: JsonValue | undefined;
  /** Its size, or more than what is large. */
  readonly #jsonBytes: number;
  readonly #by: ResolvedCaller;
  readonly #caller: Caller;
  readonly #origin: Origin;
  readonly #facts: Facts;

  constructor(deps: CommandDeps, id: CommandId, call: Call, by: ResolvedCaller) {
    const { caller } = by;
    this.#deps = deps;
    this.#id = id;
    this.#command = deps.commands[id] as Command<CommandId>;
    this.#call = call;
    this.#json = isJson(call.body) ? call.body : undefined;
    const { inlineBytes } = deps.tools.limits;
    this.#jsonBytes =
      this.#json === undefined ? 0 : jsonSize(this.#json, Math.max(AT_ONCE_BYTES, inlineBytes));
    this.#by = by;
    this.#caller = caller;
    this.#origin = originOf(call, by.name, deps);
    const { connectionId, traceparent } = call;
    const connection = connectionId === undefined ? {} : { connection: own(connectionId) };
    const isUnsampled = traceparent !== undefined && parseTraceparent(traceparent)?.isSampled === false;
    this.#facts = { caller, by: by.name, version: by.version, ...connection, isUnsampled, ...deps.tools };
  }

  async decide(mutex: KeyedMutex): Promise<Outcome> {
    const json = this.#json;
    const isLarge = this.#jsonBytes > AT_ONCE_BYTES && json !== undefined;
    const forget = isLarge ? await this.#deps.readAhead(json, this.#call.signal) : undefined;
    try {
      const command = this.#command;
      const key = command.mutexKey?.(this.#call.path as never);
      if (key === undefined) return await this.#decide(command);
      return await mutex.run(key, async () => {
        // It may have waited for long.
        await this.#by.settle();
        return this.#decide(command);
      });
    } finally {
      forget?.();
    }
  }

  async #decide(command: Command<CommandId>): Promise<Outcome> {
    const first = await this.#transact((tx, input) => command.decide(input, tx, this.#facts), true);
    if (!('effect' in first)) return this.#started(first);
    const done = await this.#deps.perform(first.effect, this.#call.signal);
    const second = await this.#transact((tx, input) => {
      if (!command.conclude) throw new Error(`${this.#id} waits but does not conclude`);
      return command.conclude(input, tx, this.#facts, done);
    });
    if ('effect' in second) throw new Error(`${this.#id} waits twice`);
    return second;
  }

  /** The task is durable by now, under its key too: the wait only spares a client that polls a state it would not see. */
  async #started(outcome: Outcome): Promise<Outcome> {
    const { startsSoon, ...decided } = outcome.decided;
    if (startsSoon === undefined) return outcome;
    const task = await this.#deps.awaitStart(startsSoon, this.#call.signal);
    if (task === undefined) return { ...outcome, decided };
    const started = { ...decided, body: task };
    if (this.#call.idempotencyKey !== undefined) await this.#keepStarted(started);
    return { ...outcome, decided: started };
  }

  /** What is answered now is what a repeated call gets. */
  async #keepStarted(started: Decided): Promise<void> {
    await this.#deps.log.transact(this.#origin, (tx) => {
      const record = this.#record(tx);
      if (record) keepAnswer(tx, record, started);
    });
  }

  /** Keeps a refusal under the caller's key, so that a retry gets the same one; the command and the policy record it. */
  async keep(error: ProtocolError): Promise<void> {
    const { refused } = this.#command;
    const isRecorded = refused !== undefined || policyCode(error) !== undefined;
    if ((this.#call.idempotencyKey === undefined && !isRecorded) || isPassing(error)) return;
    await this.#deps.log.transact(this.#origin, (tx) => {
      refused?.(this.#call.path as never, tx, this.#facts, error);
      this.#deps.refusals.append(tx, {
        operation: this.#id,
        call: this.#call,
        caller: this.#caller,
        by: this.#facts.by,
        error,
      });
      const record = this.#record(tx);
      if (record) keepRefusal(tx, record, error);
    });
  }

  /** `isBegin`: what was begun for a credential is concluded without it. */
  #transact(
    decide: (tx: Transaction, input: never) => Decided | Deferred,
    isBegin = false,
  ): Promise<Outcome | Deferred> {
    return this.#deps.log.transact(this.#origin, (tx) => {
      if (isBegin) this.#by.checkStanding();
      const record = this.#record(tx);
      const kept = record && this.#findAnswer(tx, record);
      if (kept && isFor(tx, this.#caller, kept)) return { decided: kept, repeated: true };
      refuseOtherWords(this.#by.version, this.#id, this.#call.body);
      const input = decodeInput(operation(this.#id), this.#call);
      const { limits } = this.#facts;
      if (this.#jsonBytes > limits.inlineBytes) refuseLargeMembers(input.body, limits);
      this.#call.admitted?.();
      const decided = decide(tx, this.#clean(input, tx) as never);
      if ('effect' in decided) return decided;
      if (record) this.#keepAnswer(tx, record, decided);
      return { decided, repeated: false };
    });
  }

  /** Without secrets, and without those of the Sessions that it is about. */
  #redacted<Given>(given: Given, sessions: () => readonly string[]): Clean<Given> {
    const { inputs, redact } = this.#facts;
    if (inputs.isEmpty) return redact(given).value;
    const own = sessions().reduce((read: Given, id) => inputs.redact(id, read).value as Given, given);
    return redact(own).value;
  }

  /** The door of what callers send: everything of a call is read once, and what a command puts into the log comes from here. */
  #clean(
    { path, query, body }: DecodedInput,
    tx: Transaction,
  ): DecodedInput & { sent: unknown; asked: unknown } {
    const isBody = body !== undefined && this.#json !== undefined;
    if (!isBody && Object.keys(query).length === 0) return { path, query, body, sent: body, asked: query };
    const given = isBody ? { query, body } : { query };
    const clean = this.#redacted(given, () => sessionsOf(tx, this.#caller, path, isBody ? body : undefined));
    return { path, query: clean.query, body: 'body' in clean ? clean.body : body, sent: body, asked: query };
  }

  #findAnswer(tx: Transaction, record: KeyRecord): Decided | undefined {
    const kept = findAnswer(tx, record);
    const { again } = this.#command;
    if (kept && this.#isRetriedCreate) {
      // Of a Task that retention removed there is only what was answered.
      const task = tx.get<CleanTaskState>(taskKeys.task(idOf(kept)));
      return { body: task?.resource ?? kept.body, status: RETRIED_CREATE };
    }
    return kept && again ? again(idOf(kept), tx, this.#facts) : kept;
  }

  #keepAnswer(tx: Transaction, record: KeyRecord, decided: Decided): void {
    const { again } = this.#command;
    keepAnswer(tx, record, again ? { ...decided, body: { id: idOf(decided) } } : decided);
  }

  #record(tx: Transaction): KeyRecord | undefined {
    const { idempotencyKey: key, path, query, body: sent, saidAgain: body = sent } = this.#call;
    if (key === undefined) return undefined;
    const row = operation(this.#id);
    const scope = {
      tenant: this.#caller.tenant,
      actor: this.#caller.actor,
      workspaceId: workspaceOf(tx, body, path),
      method: row.method,
      key,
    };
    const { idempotencyWindowMs: windowMs } = this.#deps;
    const window = { windowMs, nowMs: this.#deps.windowNow() };
    const target = canonicalTarget(row.path, path, query);
    if (row.createsTask !== true)
      return { key: recordKeyOf({ ...scope, target }), bodyHash: hashOf(body), ...window };
    const sessionId = path['session_id'];
    const rule = this.#by.version.idempotency;
    const { workspaceId } = scope;
    const asked = { target, sessionId, workspaceId, body: body as JsonValue | undefined };
    const [own, ...others] = placesOfCreate(rule, asked, pathsOfCreate);
    const keyed = (place: CreatePlace) => ({
      key: recordKeyOf({ ...scope, target: place.target }),
      bodyHashes: place.bodies.map(bodyHash),
    });
    return {
      key: recordKeyOf({ ...scope, target: own.target }),
      bodyHash: bodyHash(own.bodies[0]),
      others: () => others.map(keyed),
      ...(rule === 'commands'
        ? {}
        : { asSent: () => ({ key: recordKeyOf({ ...scope, target }), bodyHash: hashOf(body) }) }),
      ...window,
    };
  }

  /** Whether a stored answer only says which Task there is: the caller gets it as it is now. */
  get #isRetriedCreate(): boolean {
    return this.#by.version.idempotency === 'task_create' && operation(this.#id).createsTask === true;
  }
}

/** Says nothing of the call itself: a retry may do better. */
function isPassing({ code, status }: ProtocolError): boolean {
  return status >= 500 || code === 'client_closed_request' || code === 'unauthenticated';
}

function isJson(body: Call['body']): body is JsonValue {
  return body !== undefined && !isRawBody(body) && !isSpooledBody(body);
}

function hashOf(body: Call['body']): string {
  if (isSpooledBody(body)) return body.spooled.sha256;
  return isRawBody(body) ? (body.sha256 ?? bodyHash(body.bytes)) : bodyHash(body);
}

function idOf({ body }: Decided): string {
  if ('id' in body && typeof body.id === 'string') return body.id;
  throw new Error('an answer that is read again has an id');
}

/** A stored answer is no way around membership: another key of the same actor may have other workspaces. */
function isFor(tx: Transaction, caller: Caller, { body }: Decided): boolean {
  const workspaceId = 'workspace_id' in body ? body.workspace_id : undefined;
  return typeof workspaceId !== 'string' || isMemberOf(tx, caller, workspaceId);
}

/** The workspace a command names, itself or through its session; null when it names none. */
function workspaceOf(tx: Transaction, body: Call['body'], path: Record<string, string>): string | null {
  const named = isRawBody(body) || isSpooledBody(body) ? {} : ((body ?? {}) as Record<string, unknown>);
  if (typeof named['workspace_id'] === 'string') return named['workspace_id'];
  const sessionId = path['session_id'] ?? named['session_id'];
  if (typeof sessionId !== 'string') return path['workspace_id'] ?? null;
  return tx.get<CleanSessionFold>(sessionKeys.session(sessionId))?.resource.workspace_id ?? null;
}

/** The Sessions that a call may be about, by its path or its body; none where it is about no Session that is there. */
function sessionsOf(
  tx: Transaction,
  { actor }: Caller,
  path: Record<string, string>,
  body: unknown,
): readonly string[] {
  const named = { ...objectOf(body as JsonValue), ...path };
  const of = (name: string) => textOf(named[name]);
  const own = of('session_id');
  if (own !== undefined) return [own];
  const others = otherNamesOf(tx, named);
  if (others.length > 0) return others;
  const request = of('request_id');
  const taskId =
    of('task_id') ??
    (request === undefined
      ? undefined
      : tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(request))?.resource.task_id);
  const task = typeof taskId === 'string' ? tx.get<CleanTaskState>(taskKeys.task(taskId)) : undefined;
  if (task !== undefined) return [task.resource.session_id];
  const branch = of('branch_id');
  const known = branch === undefined ? undefined : tx.get<CleanBranchState>(branchKeys.branch(branch));
  const ofBranch = known?.resource.session_id;
  if (typeof ofBranch === 'string') return [ofBranch];
  return keyedSessionsOf(tx, actor, objectOf(named['session']));
}

/** Those of a rule or a memory of the scope session, and of a hold, which name their Sessions by other members. */
function otherNamesOf(tx: Transaction, named: JsonObject): readonly string[] {
  const { scope, scope_value: holder, owner_id: owner, session_ids: listed, hold_id: hold } = named;
  if (scope === 'session') return [holder, owner].filter((id) => typeof id === 'string');
  if (Array.isArray(listed)) return listed.filter((id) => typeof id === 'string');
  if (typeof hold !== 'string') return [];
  return tx.get<CleanHoldState>(holdKeys.hold(hold))?.resource.session_ids ?? [];
}

/** Those that an actor has given a key, with the ones beside it for work at the same time. */
function keyedSessionsOf(tx: Transaction, actor: string, session: JsonObject): readonly string[] {
  const [key, workspace] = [textOf(session['key']), textOf(session['workspace_id'])];
  const found: string[] = [];
  if (key === undefined || workspace === undefined) return found;
  for (let number = 1; ; number += 1) {
    const place = sessionKeys.keyedSession(workspace, actor, number === 1 ? key : `${key}#${number}`);
    const known = tx.get<CleanKeyedSessionState>(place);
    if (known === undefined) return found;
    found.push(known.session_id);
  }
}

/** The two paths at which a Task of a Session is created. */
function pathsOfCreate(sessionId: string): { ofAny: string; ofSession: string } {
  const path = { session_id: sessionId };
  return {
    ofAny: canonicalTarget(operation('submitTask').path, {}, {}),
    ofSession: canonicalTarget(operation('submitSessionTask').path, path, {}),
  };
}

/** Whose call its events name, and which trace they belong to. */
export function originOf(
  { traceparent }: Pick<CallHead, 'traceparent'>,
  { actor }: CallerName,
  { newTraceId }: Pick<CommandDeps, 'newTraceId'>,
): Origin {
  const trace = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  const origin: Origin = { actor, traceId: trace?.traceId ?? newTraceId() };
  if (trace) origin.spanId = trace.spanId;
  return origin;
}
