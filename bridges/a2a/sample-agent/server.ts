import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { BodyTooLarge, type Call, readCall } from './call.ts';
import { hybridCard, REST_PATH, RPC_PATH, sampleCard } from './card.ts';
import { SampleExecutor } from './executor.ts';
import { jsonRpcMount } from './json-rpc-mount.ts';
import { type Reply, sendReply } from './reply.ts';
import { restMount } from './rest-mount.ts';
import { RunningTurns } from './running-turns.ts';
import { TurnBuses } from './turn-buses.ts';
import type { AgentPorts } from './turn-events.ts';

export interface SampleAgentOptions extends AgentPorts {
  /** TCP port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  /** Origin to name in the card when clients reach the agent through a proxy. Absent: its own. */
  readonly publicUrl?: string;
  /** Told of faults of the agent itself; a fault of a request is answered to its sender. */
  readonly reportError: (error: unknown) => void;
  /** Told of each request before it is answered. */
  readonly onCall?: (call: Call) => void;
}

export interface SampleAgent {
  /** Origin without trailing slash. */
  readonly url: string;
  readonly cardUrl: string;
  /** Cancels all work, drops all connections and frees the port. */
  close(): Promise<void>;
}

/** Starts the sample agent on the loopback interface. Rejects when the port is taken. */
export async function serveSampleAgent(options: SampleAgentOptions): Promise<SampleAgent> {
  const server = createServer();
  await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const turns = new RunningTurns();
  const answer = router(options.publicUrl ?? url, turns, options);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, answer, options).catch(options.reportError);
  });
  return {
    url,
    cardUrl: `${url}/${AGENT_CARD_PATH}`,
    close: async () => {
      turns.cancelAll();
      await closed(server);
    },
  };
}

type Answer = (call: Call) => Promise<Reply>;

function router(url: string, turns: RunningTurns, ports: AgentPorts): Answer {
  const card = sampleCard(url);
  const served = hybridCard(card, url);
  const executor = new SampleExecutor(turns, ports);
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor, new TurnBuses(turns));
  const rpc = jsonRpcMount(handler);
  const rest = restMount(handler);
  return async (call) => {
    if (call.path === `/${AGENT_CARD_PATH}` && call.method === 'GET') return { status: 200, body: served };
    if (call.path === RPC_PATH && call.method === 'POST') return rpc(call);
    if (!call.path.startsWith(`${REST_PATH}/`)) return { status: 404, body: { error: 'No such path.' } };
    return rest({ ...call, path: call.path.slice(REST_PATH.length) });
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  options: SampleAgentOptions,
): Promise<void> {
  try {
    const call = await readCall(request);
    options.onCall?.(call);
    await sendReply(response, await answer(call));
  } catch (error) {
    const tooLarge = error instanceof BodyTooLarge;
    if (!tooLarge && !request.complete) return; // The client left while it was sending.
    if (!tooLarge) options.reportError(error);
    if (response.headersSent) response.destroy();
    else await sendReply(response, { status: tooLarge ? 413 : 500, body: { error: 'The request failed.' } });
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
