import type { EventSubscription, FollowerLag, Subscriptions } from '#eventlog/subscription.ts';
import type {
  AdmittedCaller,
  Answer,
  Call,
  CallHead,
  CredentialOfCall,
  FollowingClient,
  Gateway,
  StreamSink,
  Subscription,
} from '#gateway.ts';
import { conceal, holdsScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { BackupTools } from '#resources/backup/backup-tools.ts';
import type { BundleTools } from '#resources/bundle/bundle-tools.ts';
import type { LiveConnections } from '#resources/live-client/connections.ts';
import {
  type CommandId,
  type IdsOfKind,
  operation,
  type QueryId,
  type StreamId,
} from '#resources/operations.ts';
import type { ReceiptLog } from '#resources/receipt/receipt-log.ts';
import type { FileTree } from '#store/file-tree.ts';
import { type CommandDeps, CommandRun, originOf } from './command-run.ts';
import { type DecodedInput, isRawBody, isSpooledBody } from './decode-input.ts';
import { admit, admitCaller, Door, type DoorDeps, type ResolvedCaller, resolved } from './door.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import type { Queries, QueryTools } from './query.ts';
import { policyCode } from './refusals.ts';
import { openStream } from './streams.ts';

type AnyId = CommandId | QueryId | StreamId | IdsOfKind<'socket'>;

interface GatewayDeps extends CommandDeps, DoorDeps {
  /** What each query of the operations table answers. */
  queries: Queries;
  subscriptions: Subscriptions;
  /** RFC 3339 time, now. */
  time(): string;
  files: Pick<FileTree, 'read'>;
  receiptLog: ReceiptLog;
  bundles: BundleTools;
  newestReplayCheck: QueryTools['newestReplayCheck'];
  backups: BackupTools;
  workspaceIdOf: WorkspaceIdOf;
  liveConnections: Pick<LiveConnections, 'open' | 'follow' | 'unfollow' | 'close' | 'refuseObserver'>;
  /** Unsent bytes at which a slow stream is closed. */
  streamBufferBytes: number;
}

/** The core behind the port: admits calls, decides commands in one transaction, answers queries from the folds. */
export class GatewayCore implements Gateway {
  readonly #deps: GatewayDeps;
  readonly #door: Door;
  readonly #mutex = new KeyedMutex();
  readonly #followers = new Followers();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#door = new Door(deps);
  }

  recognize(credential: CredentialOfCall): Promise<void> | undefined {
    return this.#door.recognize(credential);
  }

  knows(credential: CredentialOfCall): boolean {
    return this.#door.knows(credential);
  }

  enter(credential: CredentialOfCall, version: string | undefined | 'exempt'): AdmittedCaller {
    try {
      return this.#door.enter(credential, version);
    } catch (error) {
      throw this.#countRefused(error);
    }
  }

  enterSigned(delivery: Pick<Call, 'path' | 'body'>): AdmittedCaller {
    try {
      return this.#door.enterSigned(delivery);
    } catch (error) {
      throw this.#countRefused(error);
    }
  }

  admit(id: AnyId, call: CallHead): void {
    this.#watched(id, call, () => admitCaller(operation(id), call));
  }

  watch(caller: AdmittedCaller, ended: (error: ProtocolError) => void): () => void {
    return this.#followers.watch({ by: resolved({ caller }), ended });
  }

  connected(connectionId: string): void {
    this.#deps.liveConnections.open(connectionId);
  }

  follows(connection: FollowingClient): void {
    const { connectionId: id, caller, sessionId, clientId, metadata } = connection;
    this.#deps.liveConnections.follow({ id, actor: caller.actor, sessionId, clientId, metadata });
  }

  unfollows(connectionId: string, sessionId: string): void {
    this.#deps.liveConnections.unfollow(connectionId, sessionId);
  }

  disconnected(connectionId: string): void {
    this.#deps.liveConnections.close(connectionId);
  }

  /** Whether a caller may do what no operation is. */
  holds(caller: AdmittedCaller, scope: string): boolean {
    return holdsScope(resolved({ caller }).caller, scope);
  }

  /** Ends streams whose credential expired or was revoked, and notifies their connections. */
  recheckStreams(): Promise<void> {
    return this.#followers.recheck();
  }

  /** How far each follower of events is behind. */
  lags(): FollowerLag[] {
    return this.#followers.lags();
  }

  async call(id: CommandId | QueryId, given: Call): Promise<Answer> {
    const call = withWorkspaceIds(given, this.#deps.workspaceIdOf);
    await resolved(call).settle();
    if (operation(id).kind === 'command') return this.#command(id as CommandId, call);
    try {
      return await this.#query(id as QueryId, call);
    } catch (error) {
      this.refused(id, call, ProtocolError.from(error));
      throw error;
    }
  }

  async subscribe(id: StreamId, given: Call, sink: StreamSink): Promise<Subscription> {
    const call = withWorkspaceIds(given, this.#deps.workspaceIdOf);
    const by = resolved(call);
    await by.settle();
    const { log, subscriptions, streamBufferBytes } = this.#deps;
    const { caller, input } = this.#watched(id, call, () => admit(operation(id), call));
    call.admitted?.();
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
      follower = { by, sink, subscription };
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
    const by = resolved(call);
    const { caller, input } = admit(operation(id), call);
    call.admitted?.();
    const reader = { get: log.state.bind(log) };
    const { self, signingKeys, approvals, live, inputs } = this.#deps.tools;
    const { time, files, receiptLog, bundles, backups, newestReplayCheck } = this.#deps;
    const tools: QueryTools = {
      log,
      reader,
      caller,
      by: by.name,
      version: by.version,
      self,
      approvals,
      signingKeys,
      receiptLog,
      time: time(),
      files,
      bundles,
      live,
      inputs,
      newestReplayCheck,
      backups,
      accept: call.accept,
      // Made on demand, as few queries look at it.
      get signal() {
        return call.signal;
      },
    };
    const answer = this.#deps.queries[id] as (input: DecodedInput, tools: QueryTools) => Promise<Answer>;
    return answer(input, tools);
  }

  async #command(id: CommandId, call: Call): Promise<Answer> {
    const row = operation(id);
    const by = this.#watched(id, call, () => admitCaller(row, call));
    const run = new CommandRun(this.#deps, id, call, by);
    try {
      if (call.connectionId !== undefined) this.#refuseObserver(id, call, call.connectionId);
      const { decided, repeated } = await run.decide(this.#mutex);
      const shown = conceal(decided.body, holdsScope(by.caller, 'internal:read'));
      const answer: Answer = {
        status: decided.status ?? row.success,
        body: row.response === 'none' ? { kind: 'none' } : { kind: 'json', value: shown },
      };
      return repeated ? { ...answer, repeated } : answer;
    } catch (error) {
      const fault = ProtocolError.from(error);
      this.#deps.refusals.count(fault);
      await run.keep(fault);
      throw fault;
    }
  }

  /** What the frame or the method names, in its path or its body. */
  #refuseObserver(id: CommandId, { path, body }: Call, connection: string): void {
    const named = isObject(body) ? { ...body, ...path } : path;
    this.#deps.liveConnections.refuseObserver(id, connection, named);
  }

  #countRefused(error: unknown): unknown {
    this.#deps.refusals.count(ProtocolError.from(error));
    return error;
  }

  /** A step before anything is loaded: what it refuses is reported like any other refusal. */
  #watched<Admitted>(id: AnyId, call: CallHead, step: () => Admitted): Admitted {
    try {
      return step();
    } catch (error) {
      this.refused(id, call, ProtocolError.from(error));
      throw error;
    }
  }

  /** A refusal is a count, and an event where the policy refused. */
  refused(id: AnyId, call: CallHead, error: ProtocolError): void {
    const { refusals } = this.#deps;
    refusals.count(error);
    if (policyCode(error) === undefined) return;
    const { caller, name: by } = resolved(call);
    refusals.note({ operation: id, call, caller, by, error }, originOf(call, by, this.#deps));
  }
}

/** The id of the workspace with this name. Nearly every name is the id itself. */
export type WorkspaceIdOf = (name: string) => string;

/** Members that name a workspace; the owner of a Memory is one where its scope is `workspace`. */
const MEMBERS = ['workspace_id', 'owner_id'] as const;

/**
 * The call with ids where it used another name of a workspace: in its path, its query, its body, and in the Session that a
 * body describes. A call that uses none is returned as it is.
 */
function withWorkspaceIds<Given extends Call | CallHead>(call: Given, idOf: WorkspaceIdOf): Given {
  const path = renamed(call.path, idOf);
  const query = renamed(call.query, idOf);
  const before = 'body' in call ? call.body : undefined;
  const body = bodyWithIds(before, idOf);
  if (path === call.path && query === call.query && body === before) return call;
  return { ...call, path, query, ...(body === before ? {} : { body }) };
}

function bodyWithIds(body: Call['body'], idOf: WorkspaceIdOf): Call['body'] {
  if (isRawBody(body) || isSpooledBody(body) || !isObject(body)) return body;
  const own = renamed(body, idOf);
  const { session } = own;
  if (!isObject(session)) return own;
  const inner = renamed(session, idOf);
  return inner === session ? own : { ...own, session: inner };
}

/** The same object where nothing changes. */
function renamed<Members extends object>(members: Members, idOf: WorkspaceIdOf): Members {
  let result = members;
  for (const member of MEMBERS) {
    const name = (members as Partial<Record<string, unknown>>)[member];
    const id = typeof name === 'string' ? idOf(name) : name;
    if (id !== name) result = { ...result, [member]: id };
  }
  return result;
}

/** An open stream and whose it is. */
interface Follower {
  by: ResolvedCaller;
  sink: StreamSink;
  subscription: EventSubscription;
}

/** An open connection and whose it is. */
interface Connection {
  by: ResolvedCaller;
  ended(error: ProtocolError): void;
}

/** The open streams and connections: none outlives its credential. Source: Agents Protocol v1, "Authentication and authorization". */
class Followers {
  readonly #streams = new Set<Follower>();
  readonly #connections = new Set<Connection>();

  add(follower: Follower): void {
    this.#streams.add(follower);
  }

  remove(follower: Follower): void {
    this.#streams.delete(follower);
  }

  lags(): FollowerLag[] {
    return Array.from(this.#streams, ({ subscription }) => subscription.lag());
  }

  /** Returns what takes the connection off again. */
  watch(connection: Connection): () => void {
    this.#connections.add(connection);
    return () => void this.#connections.delete(connection);
  }

  /**
   * Ends the streams whose credential expired or was revoked, then notifies their connections; an issuer that cannot be asked
   * ends none.
   */
  async recheck(): Promise<void> {
    for (const follower of [...this.#streams]) {
      if (!(await hasEnded(follower.by)) || !this.#streams.delete(follower)) continue;
      follower.subscription.close();
      follower.sink.end('unauthenticated', CREDENTIAL_ENDED);
    }
    for (const connection of [...this.#connections]) {
      if (!(await hasEnded(connection.by)) || !this.#connections.delete(connection)) continue;
      connection.ended(CREDENTIAL_ENDED);
    }
  }
}

const CREDENTIAL_ENDED = new ProtocolError(
  'unauthenticated',
  'The credential of this stream has ended. Resume with a new one and the last event id.',
);

async function hasEnded(by: ResolvedCaller): Promise<boolean> {
  const settling = by.settle();
  if (settling !== undefined) await settling;
  return by.hasEnded;
}
