import { createServer } from 'node:http';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import * as grpc from '@grpc/grpc-js';
import type { JsonObject } from '#protocol/json.ts';
import { methodsOf } from '../../../bridges/a2a/proto/codec.ts';
import { SERVICE_NAMES } from '../../../bridges/a2a/proto/service-names.ts';
import card from '../../../config/sample-agent/card.json' with { type: 'json' };
import { bound } from './grpc-agent.ts';
import { closeServer, listenOnLoopback } from './peer.ts';

type Stream = grpc.ServerWritableStream<Buffer, Buffer>;

/** What an agent does with a message whose text is the name of the row; it has said that it works on the task. */
export type Scripts = Readonly<Record<string, (stream: Stream, taskId: string) => void>>;

const METHODS = methodsOf('1.0');

/** Bytes of an event of a stream. */
export function eventBytes(json: JsonObject): Buffer {
  return Buffer.from(METHODS.get('SendStreamingMessage')?.response.encode(json) ?? []);
}

/** An event that says that the task is over. */
export function completed(taskId: string): Buffer {
  return eventBytes({
    statusUpdate: { taskId, contextId: 'context-1', status: { state: 'TASK_STATE_COMPLETED' } },
  });
}

interface Place {
  /** What the card says in place of where it is. */
  address?: string;
  tls?: { cert: string; key: string };
  /** It offers push notifications in place of streams. */
  pushes?: boolean;
}

/** An agent over gRPC that sends bytes as no library would; asked for a task, it says that this is done. */
export async function startScriptedGrpcAgent(scripts: Scripts, { address, tls, pushes }: Place = {}) {
  const asked: string[] = [];
  const addresses: string[] = [];
  let looks = 0;
  let state = 'COMPLETED';
  const server = new grpc.Server({ 'grpc.max_send_message_length': -1 });
  const path = (method: string) => `/${SERVICE_NAMES['1.0']}/${method}`;
  const read = (method: string, bytes: Buffer) => METHODS.get(method)?.request.decode(bytes) ?? {};
  const send: grpc.handleServerStreamingCall<Buffer, Buffer> = (stream) => {
    const { message } = read('SendMessage', stream.request) as { message: { parts: { text: string }[] } };
    const text = message.parts[0]?.text ?? '';
    asked.push(text);
    const id = `task-${asked.length}`;
    if (!text.startsWith('at once'))
      stream.write(
        eventBytes({ task: { id, contextId: 'context-1', status: { state: 'TASK_STATE_WORKING' } } }),
      );
    scripts[text]?.(stream, id);
  };
  const get: grpc.handleUnaryCall<Buffer, Buffer> = ({ request }, answer) => {
    const { id } = read('GetTask', request);
    looks += 1;
    const task = { id: String(id), contextId: 'context-1', status: { state: `TASK_STATE_${state}` } };
    answer(null, Buffer.from(METHODS.get('GetTask')?.response.encode(task) ?? []));
  };
  server.register(path('SendStreamingMessage'), send, asIs, asIs, 'serverStream');
  const take: grpc.handleUnaryCall<Buffer, Buffer> = ({ request }, answer) => {
    const { configuration } = read('SendMessage', request) as {
      configuration?: { taskPushNotificationConfig?: { url: string } };
    };
    addresses.push(configuration?.taskPushNotificationConfig?.url ?? '');
    state = 'WORKING';
    const task = { id: 'task-taken', contextId: 'context-1', status: { state: 'TASK_STATE_WORKING' } };
    answer(null, Buffer.from(METHODS.get('SendMessage')?.response.encode({ task }) ?? []));
  };
  server.register(path('SendMessage'), take, asIs, asIs, 'unary');
  server.register(path('GetTask'), get, asIs, asIs, 'unary');
  const place = await bound(server, tls && credentialsOf(tls));
  const supportedInterfaces = [
    { url: address ?? (tls ? `https://${place}` : place), protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ];
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...card,
        ...(pushes && { capabilities: { pushNotifications: true } }),
        supportedInterfaces,
      }),
    );
  });
  const url = await listenOnLoopback(pages);
  return {
    cardUrl: `${url}/${AGENT_CARD_PATH}`,
    /** Texts of the messages that came, in order. */
    asked,
    /** Where it may send push notifications, of each message that it took without a stream; empty for none. */
    addresses,
    /** How often it was asked for a task. */
    looks: () => looks,
    /** It is done with the task that it took. */
    finish: () => {
      state = 'COMPLETED';
    },
    close: async () => {
      server.forceShutdown();
      await closeServer(pages);
    },
  };
}

function credentialsOf({ cert, key }: NonNullable<Place['tls']>): grpc.ServerCredentials {
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  return grpc.ServerCredentials.createSsl(null, [pair]);
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
