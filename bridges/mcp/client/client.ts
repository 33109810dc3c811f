import type { IntendedCall } from '#protocol/intended-call.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type {
  AgentDescription,
  AskedInput,
  Frame,
  PermissionAnswer,
  PreparedTurn,
  ProtocolClient,
  Refused,
  Turn,
} from '#protocol-client.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault, unsent } from '../../wire/faults.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { headersOf, inputsOf, type NamedInputs } from '../../wire/session-inputs.ts';
import { runTurn } from '../../wire/turn.ts';
import type { MountedServer } from '../mounted-server.ts';
import { Catalogue } from './catalogue.ts';
import { DEFAULT_LIMITS, FIXED_LIMITS, type McpClientConfig, type McpLimits } from './config.ts';
import { type Connection, type Patience, type ServerPeer, whileAway } from './connection.ts';
import { Connector, callHeaders } from './connector.ts';
import { NOT_REACHED } from './faults.ts';
import { interpret } from './interpret.ts';
import { KeptConnection } from './kept-connection.ts';
import { mountedServer } from './mount.ts';
import { type AskedCall, Refusal, readCall, refuseMisfit } from './read-call.ts';
import { frameOf } from './record.ts';
import { ActiveCall, keptCall, type Stand } from './requests.ts';
import type { SchemaChecks } from './schema-check.ts';
import { type Lease, NOBODY, SessionConnections } from './session-connections.ts';
import { holdReason, type Tool } from './tools.ts';

const WHOSE_CALL =
  'Several calls share this connection, so it is not known who is asked. The next call gets one of its own: call again.';
const LIST_CHANGED = 'notifications/tools/list_changed';

/** An MCP server as the gateway calls it: a task is one tool call. Recorded frames are records (`record.ts`). */
export class McpClient implements ProtocolClient {
  readonly route: string;
  readonly materialPrefix: string;
  readonly #config: McpClientConfig;
  readonly #limits: McpLimits;
  readonly #deps: BridgeDeps;
  readonly #connector: Connector;
  readonly #catalogue: Catalogue;
  readonly #kept: KeptConnection;
  readonly #sessions: SessionConnections;
  /** Loaded with the first connection: there are no schemas before. */
  #checks: SchemaChecks | undefined;
  /** Tools as callers see them, where arguments come from Sessions. */
  readonly #asCalled = new WeakMap<Tool, Tool>();
  readonly #calls = new Map<string, ActiveCall>();
  /** Calls of clients that speak to the server directly. */
  readonly #served = new Set<object>();
  /** Those on the kept connection. */
  readonly #onKept = new Set<ActiveCall>();
  /** Whether a call there has left before the server answered it, and may still be asked about. */
  #hasLeft = false;
  /** Whether calls get connections of their own, because the server asks; nothing on the wire names the call that it asks in. */
  #isAsking: boolean;
  readonly interpret = interpret;

  constructor(config: McpClientConfig, deps: BridgeDeps) {
    const limits = { ...DEFAULT_LIMITS, ...config.limits };
    const connector = new Connector(config, limits, deps);
    this.route = `mcp:${config.id}`;
    this.materialPrefix = this.route;
    this.#config = config;
    this.#isAsking = config.interactive === true;
    this.#limits = limits;
    this.#deps = deps;
    const catalogue = new Catalogue(this.route, config, limits, deps);
    this.#connector = connector;
    this.#catalogue = catalogue;
    this.#kept = new KeptConnection({
      server: config.id,
      open: () => connector.connect(this.#watcher()),
      onOpen: async (connection) => {
        this.#hasLeft = false;
        await this.#loadChecks();
        await catalogue.refresh(connection);
      },
      waitMs: limits.restart_wait_ms,
      deps,
    });
    this.#sessions = new SessionConnections((peer) => this.#ofOne(peer), limits.max_connections, deps);
  }

  start(): void {
    this.#kept.get().catch(() => undefined);
  }

  async reach(): Promise<AgentDescription> {
    await this.#kept.get(0);
    const description = this.describe();
    if (description === undefined) throw NOT_REACHED;
    return description;
  }

  describe(): AgentDescription | undefined {
    return this.#catalogue.description;
  }

  async close(): Promise<void> {
    this.#catalogue.close();
    for (const call of this.#calls.values()) call.cancel();
    await Promise.all([this.#kept.close(), this.#sessions.close()]);
    await this.#connector.close();
  }

  /** The server for clients that speak to it directly; undefined unless the operator says so. */
  mounted(): MountedServer | undefined {
    if (!this.#config.mount) return undefined;
    return mountedServer({
      route: this.route,
      connector: this.#connector,
      catalogue: this.#catalogue,
      limits: this.#limits,
      deps: this.#deps,
      use: () => this.#use(),
      patience: () => this.#patience(),
      reached: () => this.#kept.get(),
      listAgain: () => this.#catalogue.refreshSoon(() => this.#kept.get()),
    });
  }

  get isServing(): boolean {
    return this.#served.size > 0;
  }

  #use(): () => void {
    const call = {};
    this.#served.add(call);
    return () => this.#served.delete(call);
  }

  answer(taskId: string, answer: PermissionAnswer): boolean {
    return this.#calls.get(taskId)?.answer(answer) ?? false;
  }

  /** What the tool as last listed does not take. A tool that is not known may have been added since, so it is not judged. */
  refuse(input: AskedInput): Refused | undefined {
    try {
      const asked = readCall(input, '', this.#deps.parseJson);
      const tool = this.#catalogue.find(asked.name);
      if (tool !== undefined && this.#checks !== undefined)
        refuseMisfit(this.#checks, asked, this.#withoutInputs(tool));
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return { param: error.param, message: error.message };
      throw error;
    }
  }

  async *run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    const { run } = await this.prepare(turn);
    yield* run(signal);
  }

  async prepare(turn: Turn): Promise<PreparedTurn> {
    if (turn.kind === 'reattach') return this.#takeUp(turn);
    try {
      const { message, skillId, taskId } = turn;
      const asked = readCall({ parts: message?.parts ?? [], skillId }, taskId, this.#deps.parseJson);
      const call = await this.#judged(asked);
      refuseMisfit(call.checks, this.#withInputs(turn, asked, call.tool), call.tool);
      return {
        call: this.#intended(asked, call.tool),
        run: (signal) => this.#turn(signal, () => this.#runCall(turn, call, signal)),
      };
    } catch (error) {
      return only(frameOfError(unsent(error)));
    }
  }

  /** A held call waits on; one that the server goes on with is followed; of any other nobody knows what it did. */
  #takeUp(turn: Turn): PreparedTurn {
    const kept = keptCall(turn.binding, this.#deps.canonicalJson);
    if (kept === undefined) return only(takenUp(turn));
    const { callId, tool: name, input, stand } = kept;
    const asked = { callId, name, input, params: { name: 'binding.tool', input: 'binding.round.input' } };
    return {
      run: (signal) =>
        this.#turn(signal, async () => this.#runCall(turn, await this.#judged(asked), signal, stand)),
    };
  }

  async #judged(asked: AskedCall): Promise<JudgedCall> {
    return { asked, tool: await this.#find(asked), checks: await this.#loadChecks() };
  }

  /** Arguments that a tool has and the configuration gives session inputs to. */
  #argumentsFor(tool: Tool, read: (named: NamedInputs) => JsonObject): JsonObject {
    const { arguments: named = {} } = this.#config.inputs ?? {};
    const known = objectOf(tool.inputSchema['properties']);
    return read(Object.fromEntries(Object.entries(named).filter(([name]) => Object.hasOwn(known, name))));
  }

  /** The tool as a caller sees it: he need not send what comes from the Session, which may be put until the call is made. */
  #withoutInputs(tool: Tool): Tool {
    const { arguments: named } = this.#config.inputs ?? {};
    const { required } = tool.inputSchema;
    if (named === undefined || !Array.isArray(required)) return tool;
    const known = this.#asCalled.get(tool);
    if (known !== undefined) return known;
    const asked = required.filter((name) => typeof name !== 'string' || !Object.hasOwn(named, name));
    const shown = { ...tool, inputSchema: { ...tool.inputSchema, required: asked } };
    this.#asCalled.set(tool, shown);
    return shown;
  }

  /** The call as it is made now. Throws Refusal for an argument that the Session was to give and has not. */
  #withInputs(turn: Turn, asked: AskedCall, tool: Tool): AskedCall {
    if (this.#config.inputs === undefined) return asked;
    const { url, inputs } = this.#config;
    const given = this.#argumentsFor(tool, (named) => inputsOf(turn, named, url));
    const input = { ...given, ...asked.input };
    const { required } = tool.inputSchema;
    const missing = Object.entries(inputs.arguments).find(
      ([name]) => Array.isArray(required) && required.includes(name) && !Object.hasOwn(input, name),
    );
    if (missing === undefined) return { ...asked, input };
    const [name, from] = missing;
    const param = `${asked.params.input}.${name}`;
    throw new Refusal(
      param,
      `${param}: comes from the session input ${from}, which this session has not for this server. Put it, and send the call again.`,
    );
  }

  #intended({ callId, input }: AskedCall, tool: Tool): IntendedCall {
    const hold = holdReason(tool, this.#config);
    const { name, sideEffect, isDeclared, definitionSha256 } = tool;
    return {
      toolCallId: callId,
      name,
      server: this.#config.id,
      input,
      sideEffect,
      isDeclared,
      definitionSha256,
      ...(hold === undefined ? {} : { hold }),
    };
  }

  /** Its requests have limits of their own, which the SDK keeps. */
  #turn(
    signal: AbortSignal,
    begin: () => AsyncIterable<Frame> | Promise<AsyncIterable<Frame>>,
  ): AsyncIterable<Frame> {
    return runTurn(signal, {
      timers: this.#deps.timers,
      frames: async function* () {
        yield* await begin();
      },
      failed: frameOfError,
    });
  }

  /** The running call records its end itself; a task of the server is canceled there, whoever follows it. */
  async *cancel({ taskId, binding }: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    const call = this.#calls.get(taskId);
    const connection = call?.connection;
    call?.cancel();
    const { remote_task: remote } = binding ?? {};
    if (typeof remote !== 'string') return;
    const { connect_timeout_ms: ms } = this.#limits;
    try {
      const asked = connection ?? (await this.#kept.get(0));
      const options = { signal, idleTimeoutMs: ms, totalTimeoutMs: ms };
      await asked.request('tasks/cancel', { taskId: remote }, options);
    } catch (error) {
      // The Task of the caller has ended; that the server may go on is noted beside it.
      const message = 'The server was not notified that its task was canceled; it may go on.';
      yield new Fault('upstream_unavailable', message, { reason: reasonOf(error) }).toFrame();
    }
  }

  async *#runCall(turn: Turn, judged: JudgedCall, signal: AbortSignal, stand?: Stand): AsyncIterable<Frame> {
    const { asked, tool } = judged;
    const facts = { call_id: asked.callId, server: this.#config.id, tool: tool.name };
    // Whoever let a call of a changed definition be made has accepted the change.
    if (holdReason(tool, this.#config) === 'changed_definition') this.#catalogue.accept(tool);
    let lease: Lease | undefined;
    const call = this.#callOf(turn, judged, async () => {
      lease?.release();
      lease = undefined;
      lease = await this.#lease(turn, call, signal);
      return lease.connection;
    });
    try {
      lease = await this.#lease(turn, call, signal);
    } catch (error) {
      throw stand === undefined ? unsent(error) : error;
    }
    this.#calls.set(turn.taskId, call);
    const request = frameOf(
      {
        ...facts,
        type: 'request',
        protocol: 'mcp',
        input: asked.input,
        definition_sha256: tool.definitionSha256,
        side_effect: tool.sideEffect,
      },
      `${asked.callId}.0`,
    );
    const changesNothing = tool.sideEffect === 'read' || tool.sideEffect === 'read_external';
    try {
      // What may change something is on record before it is done; what only reads is recorded with its answer, where that is quick.
      if (stand === undefined && !changesNothing) yield { ...request, intent: true };
      const { connection } = lease;
      const headers = headersOf(turn, this.#config.inputs?.headers, this.#config.url);
      const ran = callHeaders.run(headers, () => call.run(connection, signal, stand));
      // It is awaited below, after the frames that come from it.
      ran.catch(() => undefined);
      if (stand === undefined && changesNothing)
        yield (await call.frames.comesWithin(FIXED_LIMITS.togetherMs, this.#deps.timers))
          ? { ...request, more: true }
          : request;
      yield* call.frames;
      await ran;
    } finally {
      this.#calls.delete(turn.taskId);
      lease?.release();
    }
  }

  #callOf(turn: Turn, { asked, tool, checks }: JudgedCall, reconnect: () => Promise<Connection>): ActiveCall {
    const { tool_errors = 'fail', roots = [], interactive, sampling = false, id } = this.#config;
    return new ActiveCall({
      tool,
      facts: { call_id: asked.callId, server: id, tool: tool.name },
      input: asked.input,
      limits: this.#limits,
      onError: tool_errors,
      roots,
      isInteractive: interactive !== false,
      maySample: interactive === true && sampling,
      checks,
      deps: this.#deps,
      turn,
      transport: this.#config.command === undefined ? 'tcp' : 'pipe',
      given: (requestId) => turn.answerTo(requestId),
      inputs: () => this.#argumentsFor(tool, (named) => inputsOf(turn, named, this.#config.url)),
      // Another connection is of nobody's call.
      reconnect: () => callHeaders.exit(reconnect),
    });
  }

  /** A tool that is not known may have been added since the list was read. */
  async #find({ name, params }: AskedCall): Promise<Tool> {
    const connection = await this.#kept.get();
    const known = this.#catalogue.find(name);
    if (known !== undefined) return known;
    await this.#catalogue.refresh(connection);
    const found = this.#catalogue.find(name);
    if (found !== undefined) return found;
    const message = `${params.name}: names no tool of this server. GET /v1/skills lists its Skills.`;
    throw new Refusal(params.name, message, 'unknown_tool');
  }

  async #loadChecks(): Promise<SchemaChecks> {
    const { SchemaChecks: Checks } = await import('./schema-check.ts');
    this.#checks ??= new Checks();
    return this.#checks;
  }

  async #lease({ actor = '', sessionId }: Turn, call: ActiveCall, signal: AbortSignal): Promise<Lease> {
    const connection = await this.#kept.get();
    // What a server without sessions wants of its caller stands in the result of the call.
    if (this.#isAsking && !connection.isStateless)
      return whileAway(
        () =>
          this.#sessions.lease(`${actor}\n${sessionId}`, call, {
            waitMs: this.#limits.idle_timeout_ms,
            signal,
          }),
        this.#patience(),
      );
    this.#onKept.add(call);
    return { connection, release: () => this.#leaveKept(call) };
  }

  #leaveKept(call: ActiveCall): void {
    this.#onKept.delete(call);
    if (!call.isAnswered) this.#hasLeft = true;
  }

  /** A connection for one actor and Session. What the server lists on it may change with what is called on it. */
  async #ofOne(peer: ServerPeer): Promise<Connection> {
    const opening = this.#connector.connect({
      asked: (method, params, signal) => peer.asked(method, params, signal),
      notified: (method, params) => {
        if (method === LIST_CHANGED) this.#catalogue.refreshSoon(() => opening, opening);
        peer.notified(method, params);
      },
    });
    const connection = await opening;
    void connection.closed.then(() => {
      if (this.#catalogue.forget(connection)) this.#catalogue.refreshSoon(() => this.#kept.get());
    });
    return connection;
  }

  /** A server that does not come up is tried again for as long as a call waits for one. */
  #patience(): Patience {
    const { clock, timers } = this.#deps;
    return { clock, timers, forMs: this.#limits.restart_wait_ms };
  }

  /** What the server says on the kept connection: changes of its list, and what is meant for the only call there is. */
  #watcher(): ServerPeer {
    return {
      asked: (method, params, signal) => this.#askedOnKept(method, params, signal),
      notified: (method, params) => {
        if (method === LIST_CHANGED) this.#catalogue.refreshSoon(() => this.#kept.get());
        this.#onlyCallOnKept()?.notified(method, params);
      },
    };
  }

  /** The first question of a server that was not known to ask. It is asked of no one but the caller whose call it can only be. */
  #askedOnKept(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#config.interactive !== undefined) return NOBODY.asked(method, params, signal);
    this.#isAsking = true;
    const only = this.#onlyCallOnKept();
    if (only !== undefined && !this.#hasLeft) return only.asked(method, params);
    return Promise.reject(new RpcError(MCP_ERRORS.invalid_request, WHOSE_CALL));
  }

  #onlyCallOnKept(): ActiveCall | undefined {
    const [only, ...more] = this.#onKept;
    return more.length === 0 ? only : undefined;
  }
}

/** What was read of a turn, as the policy judged it. */
interface JudgedCall {
  asked: AskedCall;
  tool: Tool;
  checks: SchemaChecks;
}

/** A turn of one frame, which calls nothing. */
function only(frame: Frame): PreparedTurn {
  return {
    run: async function* () {
      yield frame;
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.code;
  return error instanceof RpcError ? 'refused' : 'unknown';
}

function frameOfError(error: unknown): Frame {
  if (error instanceof Fault) return error.toFrame();
  if (!(error instanceof Refusal)) throw error;
  const { param, message, reason } = error;
  return frameOf({ type: 'refused', param, message, reason });
}

/** A held call waits on; one that was sent may have had its effect, so it is not sent again. */
function takenUp({ binding }: Turn): Frame {
  if (binding?.['held'] === true && binding['sent'] !== true) return frameOf({ type: 'still_held' });
  const message =
    'The gateway restarted while the tool ran. Whether it did anything is unknown; check before submitting again.';
  return new Fault('upstream_unavailable', message, {
    reason: 'harness_restarted',
    outcome: 'unknown',
  }).toFrame();
}
