import { createServer, type IncomingMessage } from 'node:http';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { SampleExecutor } from '../../../config/sample-agent/executor.ts';
import { sampleAgentApp } from '../../../config/sample-agent/server.ts';
import { closeServer, listenOnLoopback, type Peer, type PeerOptions, RequestLog } from './peer.ts';

const FIRST_SECOND = Date.UTC(2026, 0, 1);

/** The bundled sample agent (A2A 1.0 and 0.3, @a2a-js/sdk 1.3), in this process, with a counting clock and ids. */
export async function startSampleAgent(options: PeerOptions = {}): Promise<Peer> {
  const log = new RequestLog();
  let ticks = 0;
  let ids = 0;
  const now = () => {
    ticks += 1;
    return new Date(FIRST_SECOND + ticks);
  };
  const newId = () => {
    ids += 1;
    return `agent-message-${ids}`;
  };
  const executor = new SampleExecutor(now, newId);
  const server = createServer();
  const url = await listenOnLoopback(server, options.port);
  const app = sampleAgentApp(options.publicUrl ?? url, executor);
  server.on('request', (request, response) => {
    recordInto(log, request);
    app(request, response);
  });
  return {
    url,
    cardUrl: `${url}/${AGENT_CARD_PATH}`,
    requests: log.requests,
    arrived: log.arrived,
    close: async () => {
      executor.stop();
      await closeServer(server);
    },
  };
}

/** Listens to the body beside the agent, which reads it too: it is recorded before the agent has all of it. */
function recordInto(log: RequestLog, request: IncomingMessage): void {
  const { method = '', url = '', headers } = request;
  if (method === 'GET') {
    log.record(method, url, headers, '');
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => log.record(method, url, headers, Buffer.concat(chunks).toString('utf8')));
}
