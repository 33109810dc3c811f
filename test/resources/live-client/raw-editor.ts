import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { LiveSessionClientChange } from '#resources/live-client/schema.ts';
import type { TestGateway } from '../../harness/gateway.ts';

interface LiveUpdate {
  sessionUpdate: string;
  _meta: { harn: { action: string; state: LiveSessionClientChange } };
}

/** A client of `/acp` without the SDK, which drops updates of kinds that it does not know. */
export interface RawEditor {
  readonly updates: LiveUpdate[];
  ask(method: string, params: object): Promise<unknown>;
  close(): void;
}

/** `meta`: what it says of itself in its capabilities. */
export async function rawEditor({ url, client }: TestGateway, meta: object): Promise<RawEditor> {
  const headers = { authorization: `Bearer ${client.key}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/acp`, { headers });
  const updates: LiveUpdate[] = [];
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  socket.on('message', (data) => {
    const { id, result, error, params } = JSON.parse(String(data));
    if (params?.update !== undefined) updates.push(params.update);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(error);
  });
  await once(socket, 'open');
  let asked = 0;
  const ask = (method: string, params: object) => {
    asked += 1;
    const id = asked;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  await ask('initialize', { protocolVersion: 1, clientCapabilities: { _meta: meta } });
  return { updates, ask, close: () => socket.terminate() };
}
