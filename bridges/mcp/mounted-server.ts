import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JudgedTool } from '../../src/protocol/intended-call.ts';
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';
import { objectOf } from './object-of.ts';

/** A server that is passed through, with what its operator lets through. */
export interface MountedServer {
  readonly route: string;
  /** A connection of its own for one client, not started. */
  transport(): Promise<Transport>;
  /**
   * Hands over one request of the revision without sessions, with the credential of the gateway; undefined for a server on
   * standard streams. Rejects when the server is not reached.
   */
  post?:
    | ((body: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>)
    | undefined;
  /**
   * What the policy judges of a tool, by its definition as it was listed just now or else as it is known; undefined for one
   * that is closed.
   */
  judged(name: string, definition?: JsonValue): JudgedTool | undefined;
}

/** The same as its clients get it. */
export interface OpenServer extends MountedServer {
  /** Whether a tool may be seen and called here. Nobody can be asked, so one whose calls need a permission may not. */
  isOpen(tool: string, definition?: JsonValue): boolean;
}

/** Opens a server as far as the policy lets its tools pass. */
export function openServer(
  server: MountedServer,
  letsPass: (route: string, tool: JudgedTool) => boolean,
): OpenServer {
  return {
    ...server,
    isOpen: (name, definition) => {
      const tool = server.judged(name, definition);
      return tool !== undefined && letsPass(server.route, tool);
    },
  };
}

/** The result of `tools/list` without the tools that are not open. */
export function openTools(server: OpenServer, result: JsonObject): JsonObject {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  return { ...result, tools: tools.filter((tool) => server.isOpen(String(objectOf(tool)['name']), tool)) };
}
