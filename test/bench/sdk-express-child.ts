import type { AddressInfo } from 'node:net';
import { AgentCard, type Part, Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, UserBuilder as GrpcUsers, grpcService } from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import express from 'express';
import { bound } from '../harness/peers/grpc-agent.ts';
import { serveCommands } from './commands.ts';
import { AS_ARTIFACT } from './echo-client.ts';

/** The baseline of P1: the same echo task on the SDK's own express server, and on its gRPC server, in memory. */
class EchoExecutor implements AgentExecutor {
  execute = async (
    { taskId, contextId, userMessage }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> => {
    const text = textOf(userMessage.parts);
    const asArtifact = text.startsWith(AS_ARTIFACT);
    const place = { taskId, contextId };
    const status = (state: TaskState, said?: string) => ({
      state,
      message: said === undefined ? undefined : agentMessage(place, said),
      timestamp: new Date().toISOString(),
    });
    const task = { artifacts: [], history: [userMessage], metadata: undefined };
    bus.publish(
      AgentEvent.task({ id: taskId, contextId, ...task, status: status(TaskState.TASK_STATE_WORKING) }),
    );
    if (asArtifact) bus.publish(artifact(place, text));
    bus.publish(
      AgentEvent.statusUpdate({
        ...place,
        status: status(TaskState.TASK_STATE_COMPLETED, asArtifact ? undefined : text),
        metadata: undefined,
      }),
    );
    bus.finished();
  };

  cancelTask = async (): Promise<void> => {};
}

interface Place {
  taskId: string;
  contextId: string;
}

function textOf(parts: Part[]): string {
  const content = parts[0]?.content;
  return content?.$case === 'text' ? content.value : '';
}

function partOf(value: string): Part {
  return { metadata: undefined, filename: '', mediaType: 'text/plain', content: { $case: 'text', value } };
}

function agentMessage(place: Place, text: string) {
  const empty = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    messageId: `echo-${place.taskId}`,
    ...place,
    role: Role.ROLE_AGENT,
    parts: [partOf(text)],
    ...empty,
  };
}

function artifact(place: Place, text: string) {
  const body = { artifactId: 'echo', name: 'echo', description: '', metadata: undefined, extensions: [] };
  return AgentEvent.artifactUpdate({
    ...place,
    artifact: { ...body, parts: [partOf(text)] },
    append: false,
    lastChunk: true,
    metadata: undefined,
  });
}

const card = AgentCard.fromJSON({
  name: 'Echo',
  description: 'Says it back.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: '127.0.0.1:0', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it back.', tags: ['bench'] }],
});
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new EchoExecutor());
const app = express();
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const overGrpc = new grpc.Server();
overGrpc.addService(A2AService, grpcService({ requestHandler, userBuilder: GrpcUsers.noAuthentication }));
const grpcAddress = await bound(overGrpc);
const server = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serveCommands({ url, grpc: grpcAddress }, {}, async () => {
    server.closeAllConnections();
    overGrpc.forceShutdown();
  });
});
