import type { Authenticator } from '../auth/caller.ts';
import type { AuthenticateDelivery } from '../auth/delivery-signature.ts';
import type { Subscriptions } from '../eventlog/subscription.ts';
import type {
  Answer,
  Call,
  CallHead,
  CredentialOfCall,
  Gateway,
  Identity,
  StreamSink,
  Subscription,
} from '../gateway.ts';
import { defaultWorkspace } from '../policy/membership.ts';
import { holdsScope } from '../policy/scope.ts';
import { conceal } from '../policy/visibility.ts';
import { ProtocolError } from '../protocol/errors.ts';
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
import { type CommandDeps, CommandRun, originOf } from './command-run.ts';
import type { DecodedInput } from './decode-input.ts';
import { type Follower, Followers } from './followers.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { QUERIES } from './queries/index.ts';
import type { QueryTools } from './query.ts';
import type { ReceiptLog } from './receipt-log.ts';
import { policyCode } from './refusals.ts';
import { openStream } from './streams.ts';
import { type WorkspaceIdOf, withWorkspaceIds } from './workspace-names.ts';

type AnyId = CommandId | QueryId | StreamId | IdsOfKind<'socket'>;

export interface GatewayDeps extends CommandDeps {
  subscriptions: Subscriptions;
  authenticator: Authenticator;
  authenticateDelivery: AuthenticateDelivery;
  /** RFC 3339 time, now. */
  time(): string;
  files: Pick<FileTree, 'read'>;
  receiptLog: ReceiptLog;
  bundles: BundleTools;
  workspaceIdOf: WorkspaceIdOf;
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

  admit(id: AnyId, call: CallHead): void {
    const row = operation(id);
    // A signature covers the body, so it is judged when the body is there.
    const { authenticate } = this.#deps.authenticator;
    if (row.scope !== 'signature') this.#watched(id, call, () => admitCaller({ row, call, authenticate }));
  }

  recognize(call: CredentialOfCall): Promise<void> | undefined {
    return this.#deps.authenticator.recognize(call);
  }

  /** Ends streams whose credential expired or was revoked. */
  recheckStreams(): Promise<void> {
    return this.#followers.recheck(this.#deps.authenticator);
  }

  identify(call: CredentialOfCall): Identity {
    const caller = authenticated(this.#deps.authenticator.authenticate(call));
    return { actor: caller.actor, tenant: caller.tenant, defaultWorkspace: defaultWorkspace(caller) };
  }

  async call(id: CommandId | QueryId, given: Call): Promise<Answer> {
    const call = withWorkspaceIds(given, this.#deps.workspaceIdOf);
    await this.recognize(call);
    if (operation(id).kind === 'command') return this.#command(id as CommandId, call);
    try {
      return await this.#query(id as QueryId, call);
    } catch (error) {
      this.#refused(id, call, ProtocolError.from(error));
      throw error;
    }
  }

  async subscribe(id: StreamId, given: Call, sink: StreamSink): Promise<Subscription> {
    const call = withWorkspaceIds(given, this.#deps.workspaceIdOf);
    await this.recognize(call);
    const { log, subscriptions, streamBufferBytes } = this.#deps;
    const { authenticate } = this.#deps.authenticator;
    const { caller, input } = this.#watched(id, call, () =>
      admit({ row: operation(id), call, authenticate }),
    );
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
      follower = { authorization: call.authorization, proof: call.proof, sink, subscription };
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
      // Made on demand, as few queries look at it.
      get signal() {
        return call.signal;
      },
    };
    const answer = QUERIES[id] as (input: DecodedInput, tools: QueryTools) => Promise<Answer>;
    return answer(input, tools);
  }

  async #command(id: CommandId, call: Call): Promise<Answer> {
    const row = operation(id);
    const { authenticateDelivery } = this.#deps;
    const { authenticate } = this.#deps.authenticator;
    const caller = this.#watched(id, call, () =>
      admitCaller({ row, call, authenticate, authenticateDelivery }),
    );
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
      this.#deps.refusals.count(fault);
      await run.keep(fault);
      throw fault;
    }
  }

  /** A step before the caller is known: what it refuses is told like any other refusal. */
  #watched<Admitted>(id: AnyId, call: CallHead, step: () => Admitted): Admitted {
    try {
      return step();
    } catch (error) {
      this.#refused(id, call, ProtocolError.from(error));
      throw error;
    }
  }

  /** Who is nobody leaves a line in the access log and a count; whoever is known also an event, for a refusal by the policy. */
  #refused(id: AnyId, call: CallHead, error: ProtocolError): void {
    const { authenticator, refusals } = this.#deps;
    refusals.count(error);
    if (policyCode(error) === undefined) return;
    const found = authenticator.authenticate(call);
    if (found.kind !== 'caller') return;
    refusals.note(
      { operation: id, call, caller: found.caller, error },
      originOf(call, found.caller, this.#deps),
    );
  }
}
