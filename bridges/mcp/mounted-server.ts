import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonObject } from '../../src/protocol/json.ts';
import { objectOf } from './object-of.ts';

/** A server that is passed through, with what its operator lets through. */
export interface MountedServer {
  /** A connection of its own for one client, not started. */
  transport(): Promise<Transport>;
  /**
   * Hands over one request of the revision without sessions, with the credential of the gateway; undefined for a server on
   * standard streams. Rejects when the server is not reached.
   */
  post?:
    | ((body: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>)
    | undefined;
  /** Whether a tool may be seen and called here; one whose calls need a permission may not. */
  isOpen(tool: string): boolean;
}

/** The result of `tools/list` without the tools that are not open. */
export function openTools(server: MountedServer, result: JsonObject): JsonObject {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  return { ...result, tools: tools.filter((tool) => server.isOpen(String(objectOf(tool)['name']))) };
}
