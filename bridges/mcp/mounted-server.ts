import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JudgedTool } from '#protocol/intended-call.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { KeptBack } from '#protocol-server.ts';
import { MCP_ERRORS } from '../../mappings/mcp/errors.ts';
import { RpcError } from '../wire/json-rpc.ts';
import type { McpLimits } from './client/config.ts';
import type { Connection, ServerPeer } from './client/connection.ts';

/** Hands over one request of the revision without sessions, with the credential of the gateway. Rejects when not reached. */
export type Post = (body: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/** A server that is passed through, with what its operator lets through. */
export interface MountedServer {
  readonly route: string;
  /** The same for as long as the row of the configuration is: after a reload another one may be served under the route. */
  readonly row: object;
  /** A call runs until the function that is returned is called; the row is kept up meanwhile. */
  use(): () => void;
  readonly limits: Pick<
    McpLimits,
    'connect_timeout_ms' | 'restart_wait_ms' | 'idle_timeout_ms' | 'total_timeout_ms' | 'max_connections'
  >;
  /** A wire of its own for one client with a session, not started; the server may be one without. */
  transport(): Promise<Transport>;
  /** For clients without sessions; undefined where the server does not take their requests as they come. */
  post(): Promise<Post | undefined>;
  /** A connection in whichever era the server speaks, for a client that may be asked for this. Rejects with a Fault. */
  connect(peer: ServerPeer, capabilities: JsonObject): Promise<Connection>;
  /**
   * What the policy judges of a tool, by its definition as it was listed just now or else as it is known; undefined for one
   * that is closed.
   */
  judged(name: string, definition?: JsonValue): JudgedTool | undefined;
  /** Whether a server of these capabilities runs a tool, by its definition as it is known, only as a task of its own. */
  needsTask(name: string, capabilities: JsonObject): boolean;
}

/** The same as its clients get it. */
export interface OpenServer extends MountedServer {
  /** Whether a tool may be seen and called here. Nobody can be asked, so one whose calls need a permission may not. */
  isOpen(tool: string, definition?: JsonValue): boolean;
  /** The error of a call that is not made: nobody may call the tool, or an operator has halted it. Undefined for one that is. */
  refusal(tool: string, definition?: JsonValue): RpcError | undefined;
  /**
   * A call begins. `end` is called with why, once, where its tool is halted before the function that is returned is called.
   */
  begins(tool: string, end: (why: RpcError) => void): () => void;
}

interface Doorkeeper extends Pick<OpenServer, 'begins'> {
  keptBack(tool: JudgedTool): KeptBack | undefined;
  haltOf(tool: string): KeptBack | undefined;
  /** Called with each call that is refused. */
  refused(why: KeptBack): void;
}

/** Opens a server as far as the policy lets its tools pass. */
export function openServer(
  server: MountedServer,
  { keptBack, haltOf, refused, begins }: Doorkeeper,
): OpenServer {
  return {
    ...server,
    isOpen: (name, definition) => {
      const tool = server.judged(name, definition);
      return tool !== undefined && haltOf(name) === undefined && keptBack(tool) === undefined;
    },
    begins: (tool, end) => {
      const over = begins(tool, end);
      const leave = server.use();
      return () => {
        over();
        leave();
      };
    },
    refusal: (name, definition) => {
      const tool = server.judged(name, definition);
      const halt = haltOf(name);
      const why = halt ?? (tool && keptBack(tool));
      if (tool !== undefined && why === undefined) return undefined;
      // One that is closed looks absent, and what is absent is refused by nobody.
      if (why !== undefined) refused(why);
      return halt === undefined
        ? new RpcError(MCP_ERRORS.invalid_params, `Unknown tool: ${name}`)
        : haltedCall(halt);
    },
  };
}

function haltedCall({ because }: KeptBack): RpcError {
  return new RpcError(MCP_ERRORS.invalid_request, because);
}

/** The calls that run on mounted servers, beside the Tasks. */
export class MountedCalls {
  readonly #running = new Set<{ route: string; tool: string; end(why: RpcError): void }>();

  begins(route: string, tool: string, end: (why: RpcError) => void): () => void {
    const call = { route, tool, end };
    this.#running.add(call);
    return () => this.#running.delete(call);
  }

  /** Ends those that somebody has halted. */
  endHalted(haltOf: (route: string, tool: string) => KeptBack | undefined): void {
    for (const call of [...this.#running]) {
      const why = haltOf(call.route, call.tool);
      if (why !== undefined && this.#running.delete(call)) call.end(haltedCall(why));
    }
  }
}

/** The result of `tools/list` without the tools that are not open, whose definitions are kept in `heldBack`. */
export function openTools(
  server: OpenServer,
  result: JsonObject,
  heldBack?: Map<string, JsonValue>,
): JsonObject {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  const open = tools.filter((tool) => {
    const name = String(objectOf(tool)['name']);
    const isOpen = server.isOpen(name, tool);
    if (isOpen) heldBack?.delete(name);
    else heldBack?.set(name, tool);
    return isOpen;
  });
  return { ...result, tools: open };
}
