import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Timers } from '../../bridge.ts';

/** What a server answers that is asked for its revisions; it is of those with sessions unless it says otherwise. */
export type Verdict =
  | { speaks: 'stateless'; discovered: JsonObject }
  | { speaks: 'sessions' }
  /** It ended, as some do that are asked anything before `initialize`: another one has to be started. */
  | { speaks: 'sessions'; isOver: true };

const ID = 'harn-discover';

/**
 * Asks a server on standard streams for its revisions, on the wire that is then used. Starts the transport. An error or
 * silence means a server of the revisions with sessions. Spec: MCP 2026-07-28, "Versioning", dual-era clients.
 */
export async function discover(
  transport: Transport,
  revision: string,
  meta: JsonObject,
  { timers, timeoutMs }: { timers: Timers; timeoutMs: number },
): Promise<Verdict> {
  let settle: (verdict: Verdict) => void = () => undefined;
  const verdict = new Promise<Verdict>((resolve) => {
    settle = resolve;
  });
  transport.onmessage = (message) => {
    if ('id' in message && message.id === ID && !('method' in message))
      settle(verdictOf('result' in message ? objectOf(message.result) : {}, revision));
  };
  transport.onclose = () => settle({ speaks: 'sessions', isOver: true });
  const timer = timers.setTimeout(() => settle({ speaks: 'sessions' }), timeoutMs);
  try {
    await transport.start();
    const request = { jsonrpc: '2.0', id: ID, method: 'server/discover', params: { _meta: meta } } as const;
    transport.send(request as never).catch(() => settle({ speaks: 'sessions', isOver: true }));
    return await verdict;
  } finally {
    timers.clearTimeout(timer);
    delete transport.onmessage;
    delete transport.onclose;
  }
}

function verdictOf(result: JsonObject, revision: string): Verdict {
  const { supportedVersions } = result;
  const isStateless = Array.isArray(supportedVersions) && supportedVersions.includes(revision);
  return isStateless ? { speaks: 'stateless', discovered: result } : { speaks: 'sessions' };
}
