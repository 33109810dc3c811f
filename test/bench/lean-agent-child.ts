import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from './commands.ts';

/** A streaming A2A 1.0 agent that costs next to nothing, so that P2 measures the gateway and not its peer. */
interface RpcRequest {
  id: unknown;
  method: string;
  params: { message: { messageId: string; contextId?: string; parts: { text?: string }[] } };
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
const JSON_HEADERS = { 'content-type': 'application/json' };
let tasks = 0;

function answer({ id, params }: RpcRequest, response: ServerResponse): void {
  const { message } = params;
  tasks += 1;
  const taskId = `lean-${tasks}`;
  const contextId = message.contextId ?? `context-${tasks}`;
  const place = { taskId, contextId };
  const frame = (result: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
  const timestamp = new Date().toISOString();
  const parts = [{ text: message.parts[0]?.text ?? '' }];
  response.writeHead(200, STREAM);
  response.write(
    frame({ task: { id: taskId, contextId, status: { state: 'TASK_STATE_WORKING', timestamp } } }),
  );
  response.write(
    frame({ artifactUpdate: { ...place, artifact: { artifactId: 'echo', parts }, lastChunk: true } }),
  );
  response.end(frame({ statusUpdate: { ...place, status: { state: 'TASK_STATE_COMPLETED', timestamp } } }));
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') {
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify(card));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString()) as RpcRequest, response));
}

const server = createServer(serve);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const card = {
  name: 'Lean agent',
  description: 'Says it back.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it back.', tags: ['bench'] }],
};
serveCommands({ url }, {}, async () => server.closeAllConnections());
