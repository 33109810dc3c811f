import { createServer } from 'node:http';
import { AGENT_CARD_PATH, type AgentCard } from 'a2a03';
import { DefaultRequestHandler, InMemoryTaskStore } from 'a2a03/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from 'a2a03/server/express';
import express from 'express';
import sampleCard from '../../../config/sample-agent/card.json' with { type: 'json' };
import { Agent03Executor } from './agent-03-executor.ts';
import { closeServer, listenOnLoopback, type Peer, type PeerOptions, RequestLog } from './peer.ts';

const RPC_PATH = '/a2a';

/** A real A2A 0.3 agent: @a2a-js/sdk 0.3.14 on its own express mount, JSON-RPC, with the sample behaviours. */
export async function startAgent03(options: PeerOptions = {}): Promise<Peer> {
  const log = new RequestLog();
  const app = express();
  const server = createServer(app);
  const url = await listenOnLoopback(server, options.port);
  const executor = new Agent03Executor();
  const card = cardOf(options.publicUrl ?? url);
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use(express.json({ limit: '16mb' }), (request, _response, next) => {
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    log.record(request.method, request.originalUrl, request.headers, body);
    next();
  });
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(RPC_PATH, jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
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

function cardOf(origin: string): AgentCard {
  return {
    name: 'Sample agent 0.3',
    description: 'The sample behaviours on A2A 0.3.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    url: origin + RPC_PATH,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'text/csv', 'application/json'],
    skills: sampleCard.skills,
  };
}
