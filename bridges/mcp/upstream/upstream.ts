import type { IntendedCall } from '../../../src/protocol/intended-call.ts';
import type {
  AgentDescription,
  AskedInput,
  Frame,
  Move,
  PermissionAnswer,
  PreparedTurn,
  Refused,
  Seen,
  Turn,
  Upstream,
} from '../../../src/upstream.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../outbound/fault.ts';
import type { MountedServer } from '../mounted-server.ts';
import { ActiveCall } from './active-call.ts';
import { Catalogue } from './catalogue.ts';
import { DEFAULT_LIMITS, FIXED_LIMITS, type McpLimits, type McpUpstreamConfig } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';
import { Connector } from './connector.ts';
import { interpret } from './interpret.ts';
import { KeptConnection } from './kept-connection.ts';
import { type AskedCall, Refusal, readCall, refuseMisfit } from './read-call.ts';
import { frameOf } from './record.ts';
import type { SchemaChecks } from './schema-check.ts';
import { type Lease, NOBODY, SessionConnections } from './session-connections.ts';
import { holdReason, type Tool } from './tools.ts';

/** An MCP server as an upstream: a task is one tool call. Recorded frames are records (`record.ts`). */
export class McpUpstream implements Upstream {
  readonly route: string;
  readonly materialPrefix: string;
  readonly #config: McpUpstreamConfig;
  readonly #limits: McpLimits;
  readonly #deps: BridgeDeps;
  readonly #connector: Connector;
  readonly #catalogue: Catalogue;
  readonly #kept: KeptConnection;
  readonly #sessions: SessionConnections;
  /** Loaded with the first connection: there are no schemas before. */
  #checks: SchemaChecks | undefined;
  readonly #calls = new Map<string, ActiveCall>();
  #relist: unknown;
  readonly interpret: (frame: Frame, seen: Seen) => Move[] = interpret;

  constructor(config: McpUpstreamConfig, deps: BridgeDeps) {
    const limits = { ...DEFAULT_LIMITS, ...config.limits };
    this.route = `mcp:${config.id}`;
    this.materialPrefix = this.route;
    this.#config = config;
    this.#limits = limits;
    this.#deps = deps;
    const connector = new Connector(config, limits, deps);
    const catalogue = new Catalogue(this.route, config, limits, deps);
    this.#connector = connector;
    this.#catalogue = catalogue;
    this.#kept = new KeptConnection({
      server: config.id,
      open: () => connector.connect(this.#watcher()),
      onOpen: async (connection) => {
        await this.#loadChecks();
        await catalogue.refresh(connection);
      },
      deps,
    });
    this.#sessions = new SessionConnections((peer) => connector.connect(peer), limits.max_connections, deps);
  }

  start(): void {
    this.#kept.get().catch(() => undefined);
  }

  describe(): AgentDescription | undefined {
    return this.#catalogue.description;
  }

  async close(): Promise<void> {
    this.#deps.timers.clearTimeout(this.#relist);
    for (const call of this.#calls.values()) call.cancel();
    await Promise.all([this.#kept.close(), this.#sessions.close()]);
    await this.#connector.close();
  }

  /** The server for clients that speak to it directly; undefined unless the operator says so. */
  mounted(): MountedServer | undefined {
    if (!this.#config.mount) return undefined;
    return {
      route: this.route,
      transport: () => this.#connector.transport(),
      post: this.#connector.post,
      judged: (name, definition) => this.#catalogue.judged(name, definition),
    };
  }

  answer(taskId: string, answer: PermissionAnswer): boolean {
    return this.#calls.get(taskId)?.answer(answer) ?? false;
  }

  /** What the tool as last listed does not take. A tool that is not known may have been added since, so it is not judged. */
  refuse(input: AskedInput): Refused | undefined {
    try {
      const asked = readCall(input, '', this.#deps.parseJson);
      const tool = this.#catalogue.find(asked.name);
      if (tool !== undefined && this.#checks !== undefined) refuseMisfit(this.#checks, asked, tool);
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
    if (turn.kind === 'reattach') return only(takenUp(turn));
    try {
      const { message, skillId, taskId } = turn;
      const asked = readCall({ parts: message?.parts ?? [], skillId }, taskId, this.#deps.parseJson);
      const tool = await this.#find(asked);
      const checks = await this.#loadChecks();
      refuseMisfit(checks, asked, tool);
      return {
        call: this.#intended(asked, tool),
        run: (signal) => this.#runJudged(turn, { asked, tool, checks }, signal),
      };
    } catch (error) {
      return only(frameOfError(error));
    }
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

  async *#runJudged(turn: Turn, call: JudgedCall, signal: AbortSignal): AsyncIterable<Frame> {
    try {
      yield* this.#runCall(turn, call, signal);
    } catch (error) {
      yield frameOfError(error);
    }
  }

  /** The running call tells how it ended itself. */
  cancel(turn: Turn): AsyncIterable<Frame> {
    this.#calls.get(turn.taskId)?.cancel();
    return nothing();
  }

  async *#runCall(
    turn: Turn,
    { asked, tool, checks }: JudgedCall,
    signal: AbortSignal,
  ): AsyncIterable<Frame> {
    const facts = { call_id: asked.callId, server: this.#config.id, tool: tool.name };
    // Whoever let a call of a changed definition be made has accepted the change.
    if (holdReason(tool, this.#config) === 'changed_definition') this.#catalogue.accept(tool);
    const call = this.#callOf(turn, tool, asked, checks);
    const lease = await this.#lease(turn, call);
    this.#calls.set(turn.taskId, call);
    try {
      yield frameOf(
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
      const ran = call.run(lease.connection, signal);
      yield* call.frames;
      await ran;
    } finally {
      this.#calls.delete(turn.taskId);
      lease.release();
    }
  }

  #callOf(turn: Turn, tool: Tool, asked: AskedCall, checks: SchemaChecks): ActiveCall {
    const { tool_errors = 'fail', roots = [], interactive = false, sampling = false, id } = this.#config;
    return new ActiveCall({
      tool,
      facts: { call_id: asked.callId, server: id, tool: tool.name },
      input: asked.input,
      limits: this.#limits,
      onError: tool_errors,
      roots,
      isInteractive: interactive,
      maySample: interactive && sampling,
      checks,
      deps: this.#deps,
      traceparent: turn.traceparent,
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

  async #lease({ actor = '', sessionId }: Turn, call: ActiveCall): Promise<Lease> {
    if (this.#config.interactive) return this.#sessions.lease(`${actor}\n${sessionId}`, call);
    return { connection: await this.#kept.get(), release: () => undefined };
  }

  /** What the server says on the kept connection: changes of its list, and log lines of the only call there is. */
  #watcher(): ServerPeer {
    return {
      asked: NOBODY.asked,
      told: (method, params) => {
        if (method === 'notifications/tools/list_changed') this.#listLater();
        const [only, ...more] = this.#config.interactive ? [] : this.#calls.values();
        if (only !== undefined && more.length === 0) only.told(method, params);
      },
    };
  }

  #listLater(): void {
    this.#deps.timers.clearTimeout(this.#relist);
    this.#relist = this.#deps.timers.setTimeout(() => {
      this.#kept
        .get()
        .then((connection: Connection) => this.#catalogue.refresh(connection))
        .catch((error: unknown) =>
          this.#deps.logger.warn({ server: this.#config.id, err: error }, 'tools were not listed again'),
        );
    }, FIXED_LIMITS.relistMs);
  }
}

async function* nothing(): AsyncIterable<Frame> {}

/** What was read of a turn, as the policy judged it. */
interface JudgedCall {
  asked: AskedCall;
  tool: Tool;
  checks: SchemaChecks;
}

/** A turn that has one thing to tell and calls nothing. */
function only(frame: Frame): PreparedTurn {
  return {
    run: async function* () {
      yield frame;
    },
  };
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
