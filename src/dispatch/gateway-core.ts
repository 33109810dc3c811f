import type { Authenticator, Caller } from '../auth/caller.ts';
import type { AuthenticateDelivery } from '../auth/delivery-signature.ts';
import type { EventLog, Origin, Transaction } from '../eventlog/event-log.ts';
import type { Subscriptions } from '../eventlog/subscription.ts';
import type { Answer, Call, CallHead, Gateway, Identity, StreamSink, Subscription } from '../gateway.ts';
import { defaultWorkspace } from '../policy/membership.ts';
import { holdsScope } from '../policy/scope.ts';
import { conceal } from '../policy/visibility.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { SessionFold } from '../projections/states.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonValue } from '../protocol/json.ts';
import {
  type CommandId,
  type IdsOfKind,
  operation,
  type QueryId,
  type StreamId,
} from '../protocol/operations.ts';
import type { FileTree } from '../store/file-tree.ts';
import { admit, admitCaller, authenticated } from './admission.ts';
import type { BundleTools } from './bundles/bundle-tools.ts';
import { canonicalTarget } from './canonical-target.ts';
import {
  type Command,
  type Decided,
  type Deferred,
  type Effect,
  type EffectResult,
  isDeferred,
} from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { type DecodedInput, decodeInput, isRawBody } from './decode-input.ts';
import type { DecisionTools, Facts } from './facts.ts';
import { type Follower, Followers } from './followers.ts';
import { bodyHash, findAnswer, type KeyRecord, keepAnswer, keepRefusal, recordKeyOf } from './idempotency.ts';
import { isMemberOf } from './load.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { QUERIES } from './queries/index.ts';
import type { QueryTools } from './query.ts';
import type { ReceiptLog } from './receipt-log.ts';
import { refuseLargeMembers } from './refuse-large-members.ts';
import { openStream } from './streams.ts';
import { parseTraceparent } from './trace-context.ts';

export interface GatewayDeps {
  log: EventLog;
  subscriptions: Subscriptions;
  authenticator: Authenticator;
  authenticateDelivery: AuthenticateDelivery;
  tools: DecisionTools;
  newTraceId(): string;
  /** RFC 3339 time, now. */
  time(): string;
  /** Does what a command named; rejects with a ProtocolError when it could not be done. */
  perform(effect: Effect): Promise<EffectResult>;
  files: Pick<FileTree, 'read'>;
  receiptLog: ReceiptLog;
  bundles: BundleTools;
  idempotencyWindowMs: number;
  /** Unsent bytes at which a slow stream is closed. */
  streamBufferBytes: number;
}

/** The core behind the port: admits calls, decides commands in one transaction, answers queries from the folds. */
export class GatewayCore implements Gateway {
  readonly #deps: GatewayDeps;
  readonly #lanes = new OneAtATime();
  readonly #followers = new Followers();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  admit(id: CommandId | QueryId | StreamId | IdsOfKind<'socket'>, call: CallHead): void {
    const row = operation(id);
    // A signature covers the body, so it is judged when the body is there.
    if (row.scope !== 'signature')
      admitCaller({ row, call, authenticate: this.#deps.authenticator.authenticate });
  }

  recognize(authorization: string | undefined): Promise<void> | undefined {
    return this.#deps.authenticator.recognize(authorization);
  }

  /** Ends streams whose credential expired or was revoked. */
  recheckStreams(): Promise<void> {
    return this.#followers.recheck(this.#deps.authenticator);
  }

  identify(call: Pick<CallHead, 'authorization'>): Identity {
    const caller = authenticated(this.#deps.authenticator.authenticate(call.authorization));
    return { actor: caller.actor, tenant: caller.tenant, defaultWorkspace: defaultWorkspace(caller) };
  }

  async call(id: CommandId | QueryId, call: Call): Promise<Answer> {
    await this.recognize(call.authorization);
    if (operation(id).kind === 'command') return this.#command(id as CommandId, call);
    return this.#query(id as QueryId, call);
  }

  async subscribe(id: StreamId, call: Call, sink: StreamSink): Promise<Subscription> {
    await this.recognize(call.authorization);
    const { log, subscriptions, streamBufferBytes } = this.#deps;
    const { authenticate } = this.#deps.authenticator;
    const { caller, input } = admit({ row: operation(id), call, authenticate });
    const after = call.lastEventId === undefined ? {} : { after: call.lastEventId };
    const named = call.cursorParam === undefined ? {} : { cursorParam: call.cursorParam };
    let follower: Follower | undefined;
    let hasEnded = false;
    const ended = () => {
      hasEnded = true;
      if (follower) this.#followers.remove(follower);
    };
    const request = {
      id,
      caller,
      input,
      sink,
      maxBufferedBytes: streamBufferBytes,
      ended,
      ...after,
      ...named,
    };
    const subscription = openStream(log, subscriptions, request);
    if (!hasEnded) {
      follower = { authorization: call.authorization, sink, subscription };
      this.#followers.add(follower);
    }
    return {
      cursor: () => subscription.cursor(),
      close: () => {
        ended();
        subscription.close();
      },
    };
  }

  async #query(id: QueryId, call: Call): Promise<Answer> {
    const { log } = this.#deps;
    const { authenticate } = this.#deps.authenticator;
    const { caller, input } = admit({ row: operation(id), call, authenticate });
    const reader = { get: log.state.bind(log) };
    const { self, signingKeys } = this.#deps.tools;
    const { time, files, receiptLog, bundles } = this.#deps;
    const tools: QueryTools = {
      log,
      reader,
      caller,
      self,
      signingKeys,
      receiptLog,
      time: time(),
      files,
      bundles,
      accept: call.accept,
    };
    const answer = QUERIES[id] as (input: DecodedInput, tools: QueryTools) => Promise<Answer>;
    return answer(input, tools);
  }

  async #command(id: CommandId, call: Call): Promise<Answer> {
    const row = operation(id);
    const { authenticateDelivery } = this.#deps;
    const { authenticate } = this.#deps.authenticator;
    const caller = admitCaller({ row, call, authenticate, authenticateDelivery });
    const run = new CommandRun(this.#deps, id, call, caller);
    try {
      const { decided, repeated } = await run.decide(this.#lanes);
      const shown = conceal(decided.body, holdsScope(caller, 'internal:read'));
      const answer: Answer = {
        status: decided.status ?? row.success,
        body: row.response === 'none' ? { kind: 'none' } : { kind: 'json', value: shown },
      };
      return repeated ? { ...answer, repeated } : answer;
    } catch (error) {
      const fault = ProtocolError.from(error);
      await run.keep(fault);
      throw fault;
    }
  }
}

interface Outcome {
  decided: Decided;
  repeated: boolean;
}

/** One command call: finds a stored answer or decides, in one transaction; twice when it waits in between. */
class CommandRun {
  readonly #deps: GatewayDeps;
  readonly #id: CommandId;
  readonly #call: Call;
  readonly #caller: Caller;
  readonly #origin: Origin;
  readonly #facts: Facts;

  constructor(deps: GatewayDeps, id: CommandId, call: Call, caller: Caller) {
    this.#deps = deps;
    this.#id = id;
    this.#call = call;
    this.#caller = caller;
    const trace = parseTraceparent(call.traceparent);
    this.#origin = { actor: caller.actor, traceId: trace?.traceId ?? deps.newTraceId() };
    if (trace) this.#origin.spanId = trace.spanId;
    this.#facts = { ...deps.tools, caller };
  }

  async decide(lanes: OneAtATime): Promise<Outcome> {
    const command = COMMANDS[this.#id] as Command<CommandId>;
    const lane = command.lane?.(this.#call.path as never);
    return lane === undefined ? this.#decide(command) : lanes.run(lane, () => this.#decide(command));
  }

  async #decide(command: Command<CommandId>): Promise<Outcome> {
    const first = await this.#transact((tx, input) => command.decide(input, tx, this.#facts));
    if (!('effect' in first)) return first;
    const done = await this.#deps.perform(first.effect);
    const second = await this.#transact((tx, input) => {
      if (!command.conclude) throw new Error(`${this.#id} waits but does not conclude`);
      return command.conclude(input, tx, this.#facts, done);
    });
    if ('effect' in second) throw new Error(`${this.#id} waits twice`);
    return second;
  }

  /** Keeps a refusal under the caller's key, so that a retry gets the same one, and lets the command record it. */
  async keep(error: ProtocolError): Promise<void> {
    const { refused } = COMMANDS[this.#id] as Command<CommandId>;
    if ((this.#call.idempotencyKey === undefined && !refused) || error.status >= 500) return;
    await this.#deps.log.transact(this.#origin, (tx) => {
      refused?.(this.#call.path as never, tx, this.#facts, error);
      const record = this.#record(tx);
      if (record) keepRefusal(tx, record, error);
    });
  }

  #transact(decide: (tx: Transaction, input: never) => Decided | Deferred): Promise<Outcome | Deferred> {
    return this.#deps.log.transact(this.#origin, (tx) => {
      const record = this.#record(tx);
      const kept = record && this.#findAnswer(tx, record);
      if (kept && isFor(tx, this.#caller, kept)) return { decided: kept, repeated: true };
      const input = decodeInput(operation(this.#id), this.#call);
      refuseLargeMembers(input.body, this.#facts.limits);
      const decided = decide(tx, input as never);
      if (isDeferred(decided)) return decided;
      if (record) this.#keepAnswer(tx, record, decided);
      return { decided, repeated: false };
    });
  }

  #findAnswer(tx: Transaction, record: KeyRecord): Decided | undefined {
    const kept = findAnswer(tx, record);
    const { again } = COMMANDS[this.#id] as Command<CommandId>;
    return kept && again ? again(idOf(kept), tx, this.#facts) : kept;
  }

  #keepAnswer(tx: Transaction, record: KeyRecord, decided: Decided): void {
    const { again } = COMMANDS[this.#id] as Command<CommandId>;
    keepAnswer(tx, record, again ? { ...decided, body: { id: idOf(decided) } } : decided);
  }

  #record(tx: Transaction): KeyRecord | undefined {
    const { idempotencyKey: key, body, path, query } = this.#call;
    if (key === undefined) return undefined;
    const row = operation(this.#id);
    const scope = {
      tenant: this.#caller.tenant,
      actor: this.#caller.actor,
      workspaceId: workspaceOf(tx, body, path),
      method: row.method,
      target: canonicalTarget(row.path, path, query),
      key,
    };
    const hashed = isRawBody(body) ? body.bytes : (body as JsonValue | undefined);
    return { key: recordKeyOf(scope), bodyHash: bodyHash(hashed), windowMs: this.#deps.idempotencyWindowMs };
  }
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

/** The workspace a command names, itself or through its session; null when it names none (contract C21). */
function workspaceOf(tx: Transaction, body: Call['body'], path: Record<string, string>): string | null {
  const named = isRawBody(body) ? {} : ((body ?? {}) as Record<string, unknown>);
  if (typeof named['workspace_id'] === 'string') return named['workspace_id'];
  const sessionId = path['session_id'] ?? named['session_id'];
  if (typeof sessionId !== 'string') return path['workspace_id'] ?? null;
  return tx.get<SessionFold>(stateKey.session(sessionId))?.resource.workspace_id ?? null;
}
