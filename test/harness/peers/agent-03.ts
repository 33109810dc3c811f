import { createServer } from 'node:http';
import * as grpc from '@grpc/grpc-js';
import { AGENT_CARD_PATH, type AgentCard } from 'a2a03';
import { DefaultRequestHandler, InMemoryTaskStore, UnauthenticatedUser } from 'a2a03/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a03/server/express';
import { A2AService, grpcService } from 'a2a03/server/grpc';
import express from 'express';
import sampleCard from '../../../config/sample-agent/card.json' with { type: 'json' };
import { Agent03Executor } from './agent-03-executor.ts';
import { bound, recordedBy } from './grpc-agent.ts';
import { closeServer, listenOnLoopback, type Peer, type PeerOptions, RequestLog } from './peer.ts';

const RPC_PATH = '/a2a';

/** The only binding that its card offers. */
export type Binding03 = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** A real A2A 0.3 agent: @a2a-js/sdk 0.3.14 on its own express mount, or its own gRPC server, with the sample behaviours. */
export async function startAgent03(
  options: PeerOptions & { binding?: Binding03; blocking?: boolean; pushes?: boolean } = {},
): Promise<Peer> {
  const { binding = 'JSONRPC' } = options;
  const log = new RequestLog();
  const app = express();
  const server = createServer(app);
  const url = await listenOnLoopback(server, options.port);
  const executor = new Agent03Executor();
  const service = new grpc.Server({ interceptors: [recordedBy(log)] });
  const address = binding === 'GRPC' ? await bound(service) : undefined;
  const card = cardOf(options.publicUrl ?? url, binding, address, {
    streaming: !options.blocking,
    pushNotifications: options.pushes ?? false,
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use(express.json({ limit: '16mb' }), (request, _response, next) => {
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    log.record(request.method, request.originalUrl, request.headers, body);
    next();
  });
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
  const served = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  if (binding === 'JSONRPC') app.use(RPC_PATH, jsonRpcHandler(served));
  if (binding === 'HTTP+JSON') app.use(RPC_PATH, restHandler(served));
  if (binding === 'GRPC')
    service.addService(
      A2AService,
      grpcService({ requestHandler, userBuilder: async () => new UnauthenticatedUser() }),
    );
  return {
    url,
    cardUrl: `${url}/${AGENT_CARD_PATH}`,
    requests: log.requests,
    arrived: log.arrived,
    close: async () => {
      executor.stop();
      service.forceShutdown();
      await closeServer(server);
    },
  };
}

function cardOf(
  origin: string,
  binding: Binding03,
  address: string | undefined,
  capabilities: AgentCard['capabilities'],
): AgentCard {
  return {
    name: 'Sample agent 0.3',
    description: 'The sample behaviours on A2A 0.3.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    url: address ?? origin + RPC_PATH,
    preferredTransport: binding,
    capabilities,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'text/csv', 'application/json'],
    skills: sampleCard.skills,
  };
}
