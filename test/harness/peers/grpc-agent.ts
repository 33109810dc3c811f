import { createServer } from 'node:http';
import { AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { A2AService, grpcService, UserBuilder } from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import card from '../../../config/sample-agent/card.json' with { type: 'json' };
import { SampleExecutor } from '../../../config/sample-agent/executor.ts';
import { closeServer, listenOnLoopback, type Peer, RequestLog } from './peer.ts';

/** The sample agent behind the gRPC server of @a2a-js/sdk; its card, over HTTP, offers nothing else, and no streams where it is `blocking`. */
export async function startGrpcAgent({ blocking = false, pushes = false } = {}): Promise<Peer> {
  const log = new RequestLog();
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `agent-message-${ids}`;
  };
  const executor = new SampleExecutor(() => new Date(Date.UTC(2026, 0, 1) + ids), newId);
  const server = new grpc.Server({ interceptors: [recordedBy(log)] });
  const address = await bound(server);
  const supportedInterfaces = [{ url: address, protocolBinding: 'GRPC', protocolVersion: '1.0' }];
  const offered = AgentCard.fromJSON({
    ...card,
    supportedInterfaces,
    capabilities: { ...card.capabilities, streaming: !blocking, pushNotifications: pushes },
  });
  const requestHandler = new DefaultRequestHandler(offered, new InMemoryTaskStore(), executor);
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(AgentCard.toJSON(offered)));
  });
  const url = await listenOnLoopback(pages);
  return {
    url,
    cardUrl: `${url}/${AGENT_CARD_PATH}`,
    requests: log.requests,
    arrived: log.arrived,
    close: async () => {
      executor.stop();
      server.forceShutdown();
      await closeServer(pages);
    },
  };
}

/** The address of a server on a free port of the loopback. */
export async function bound(
  server: grpc.Server,
  credentials = grpc.ServerCredentials.createInsecure(),
): Promise<string> {
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, free) => (error ? reject(error) : resolve(free))),
  );
  return `127.0.0.1:${port}`;
}

/** Lets the calls of a server be recorded with their metadata and messages. */
export function recordedBy(log: RequestLog): grpc.ServerInterceptor {
  return (definition, call) => {
    let headers: Record<string, string> = {};
    return new grpc.ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            const entries = Object.entries(metadata.getMap());
            headers = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
            headers['deadline'] = String(Number(call.getDeadline()));
            pass(metadata);
          },
          onReceiveMessage: (message, pass) => {
            log.record('POST', definition.path, headers, JSON.stringify(message));
            pass(message);
          },
        }),
    });
  };
}
