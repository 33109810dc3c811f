import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { messageOf, readFile } from '#protocol/protobuf.ts';
import { HEALTH, REFLECTION } from '#surfaces/grpc/descriptors.ts';
import { HARN_EXTENSION } from '../../mappings/a2a/extension.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { stageOf } from './stage.ts';

const stage = stageOf({
  agents: { second: startSampleAgent },
  keys: [
    { actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
    { actor: 'reader', scopes: ['tasks:read'] },
  ],
  config: {
    server: { grpc: { port: 0 } },
    outbound: { allow: ['127.0.0.0/8'] },
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
  },
});
let address: string;
let client: GrpcTestClient;
let sent = 0;
const freshId = () => {
  sent += 1;
  return `m${sent}`;
};
const opened: GrpcTestClient[] = [];
const as = (key?: string) => {
  const made = new GrpcTestClient(address, key);
  opened.push(made);
  return made;
};
beforeAll(async () => {
  address = await grpcAddress(stage.gateway.url);
  client = as(stage.client.key);
});
afterAll(() => {
  for (const each of opened) each.close();
});
const message = (text: string, more: JsonObject = {}): JsonObject => ({
  message: { messageId: freshId(), role: 'ROLE_USER', parts: [{ text }], ...more },
});
const started = async (text: string): Promise<string> => {
  const configuration = { returnImmediately: true };
  const { task } = (await client.call('SendMessage', { ...message(text), configuration })) as {
    task: { id: string };
  };
  return task.id;
};

describe('the card', () => {
  it('[A2A-GRPC-06] lists gRPC for every agent, others than the default one with a tenant', async () => {
    const interfacesOf = async (path: string) => {
      const card = (await (await fetch(`${stage.gateway.url}${path}`)).json()) as {
        supportedInterfaces: { protocolBinding: string }[];
      };
      return card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === 'GRPC');
    };
    expect((await interfacesOf('/.well-known/agent-card.json'))[0]).toEqual({
      url: address,
      protocolBinding: 'GRPC',
      protocolVersion: '1.0',
    });
    expect(await interfacesOf('/a2a/second/.well-known/agent-card.json')).toEqual([
      { url: address, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: 'second' },
    ]);
  });

  it('a tenant runs the task on its agent, and an unknown one is no agent', async () => {
    const { task } = (await client.call('SendMessage', {
      ...message('one'),
      tenant: 'second',
    })) as {
      task: { id: string };
    };
    const kept = await stage.client.get<{ assigned_agent_id: string }>(`/v1/tasks/${task.id}`);
    expect(kept.assigned_agent_id).toBe('a2a:second');
    await expect(client.call('SendMessage', { ...message('x'), tenant: 'nobody' })).rejects.toMatchObject({
      status: 'NOT_FOUND',
    });
  });
});

describe('who may call', () => {
  it('[A2A-GRPC-05] nobody without a key, and the refusal asks for one', async () => {
    const refused = await as()
      .call('GetTask', { id: 'task_x' })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' });
    expect((refused as { trailers: grpc.Metadata }).trailers.get('www-authenticate').join()).toContain(
      'Bearer',
    );
    await expect(as('hk_wrong').call('GetTask', { id: 'task_x' })).rejects.toMatchObject({
      status: 'UNAUTHENTICATED',
    });
  });

  it('a key without the scope is refused, and another tenant sees no task', async () => {
    await expect(as(stage.as('reader').key).call('SendMessage', message('x'))).rejects.toMatchObject({
      status: 'PERMISSION_DENIED',
    });
    const id = await started('one');
    for (const method of ['GetTask', 'CancelTask', 'ListTaskPushNotificationConfigs'])
      await expect(
        as(stage.as('stranger').key).call(method, method.startsWith('List') ? { taskId: id } : { id }),
        method,
      ).rejects.toMatchObject({ status: 'NOT_FOUND', reason: 'TASK_NOT_FOUND' });
    const followed = as(stage.as('stranger').key).stream('SubscribeToTask', { id });
    await expect(followed.end).rejects.toMatchObject({ status: 'NOT_FOUND' });
  });
});

describe('methods', () => {
  it('[A2A-GRPC-01] are those of the service, each of which answers', async () => {
    const id = await started('ask');
    await stage.client.until(id, 'INPUT_REQUIRED');
    expect(await client.call('GetTask', { id })).toMatchObject({ id });
    expect(await client.call('ListTasks', { pageSize: 1 })).toMatchObject({ pageSize: 1, tasks: [{ id }] });
    const config = { taskId: id, id: 'one', url: 'http://127.0.0.1:9/hook', token: 'secret-token' };
    const set = await client.call('CreateTaskPushNotificationConfig', config);
    expect(set).toEqual({ taskId: id, id: 'one', url: config.url });
    const named = { taskId: id, id: 'one' };
    expect(await client.call('GetTaskPushNotificationConfig', named)).toEqual(set);
    const listed = { taskId: id };
    expect(await client.call('ListTaskPushNotificationConfigs', listed)).toEqual({ configs: [set] });
    expect(await client.call('DeleteTaskPushNotificationConfig', named)).toEqual({});
    expect(await client.call('GetExtendedAgentCard', {})).toMatchObject({
      supportedInterfaces: expect.any(Array),
    });
    const followed = client.stream('SubscribeToTask', { id });
    await followed.until(1);
    expect(await client.call('CancelTask', { id })).toMatchObject({
      status: { state: 'TASK_STATE_CANCELED' },
    });
    await followed.end;
    const streamed = client.stream('SendStreamingMessage', message('one'));
    await streamed.end;
    expect(streamed.events[0]).toHaveProperty('task');
  });
});

describe('errors', () => {
  it('[A2A-GRPC-03] name the fields that are wrong in google.rpc.Status', async () => {
    await expect(client.call('SendMessage', { message: { role: 'ROLE_AGENT' } })).rejects.toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: expect.any(String),
      details: ['ErrorInfo', 'BadRequest'],
      message: expect.stringContaining('message.messageId'),
    });
    await expect(client.call('GetTask', { id: 'task_none' })).rejects.toMatchObject({ status: 'NOT_FOUND' });
  });

  it.each([
    ['a cut message', Buffer.from([0x0a, 0xff, 0x01])],
    ['a wrong wire type', Buffer.from([0x08, 0x01])],
    ['an end of a group that never began', Buffer.from([0x0c])],
    ['invalid UTF-8', Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
  ])('%s is a bad argument', async (_, bytes) => {
    const refused = await client.call('GetTask', bytes).catch((error: unknown) => error);
    expect(['INVALID_ARGUMENT', 'NOT_FOUND']).toContain((refused as { status: string }).status);
  });

  it('[A2A-GRPC-02] unknown fields are ignored, wrong versions are not', async () => {
    const id = await started('one');
    const unknown = Buffer.from([0xfa, 0x3f, 0x03, 0x61, 0x62, 0x63]);
    const bytes = Buffer.concat([client.bytes('GetTask', { id }), unknown]);
    expect(await client.call('GetTask', bytes)).toMatchObject({ id });
    expect(await client.call('GetTask', { id }, { 'a2a-version': '1.0' })).toMatchObject({ id });
    await expect(client.call('GetTask', { id }, { 'a2a-version': '0.3' })).rejects.toMatchObject({
      reason: 'VERSION_NOT_SUPPORTED',
    });
    await expect(client.call('GetTask', { id }, { 'idempotency-key': ['one', 'two'] })).rejects.toMatchObject(
      { status: 'INVALID_ARGUMENT' },
    );
  });

  it('a message that is too large is refused, also where it was compressed', async () => {
    const large = client.bytes('SendMessage', message('a'.repeat(40 * 1024 * 1024)));
    await expect(client.call('SendMessage', large)).rejects.toMatchObject({ status: 'RESOURCE_EXHAUSTED' });
    const packing = new grpc.Client(address, grpc.credentials.createInsecure(), {
      'grpc.default_compression_algorithm': 2,
      'grpc.use_local_subchannel_pool': 1,
    });
    const bomb = Object.assign(as(stage.client.key), { client: packing });
    await expect(bomb.call('SendMessage', large)).rejects.toMatchObject({ status: 'RESOURCE_EXHAUSTED' });
    expect(await client.call('ListTasks', {})).toHaveProperty('tasks');
  });

  it('a method that is not there is unimplemented', async () => {
    await expect(client.raw('/lf.a2a.v1.A2AService/Nothing', Buffer.alloc(0))).rejects.toMatchObject({
      status: 'UNIMPLEMENTED',
    });
  });
});

describe('a call', () => {
  it('that is sent again with its idempotency key makes no second task', async () => {
    const request = { ...message('one'), configuration: { returnImmediately: true } };
    const ids = [];
    for (let n = 0; n < 2; n += 1) {
      const { task } = (await client.call('SendMessage', request, { 'idempotency-key': 'grpc-once' })) as {
        task: { id: string };
      };
      ids.push(task.id);
    }
    expect(ids[0]).toBe(ids[1]);
  });

  it('that waits ends at its deadline, and its task goes on', async () => {
    const deadline = Date.now() + 150;
    await expect(client.call('SendMessage', message('slow'), {}, { deadline })).rejects.toMatchObject({
      status: 'DEADLINE_EXCEEDED',
    });
    const { data } = await stage.client.get<{ data: { status: string }[] }>('/v1/tasks?limit=1');
    expect(data.length).toBe(1);
    await expect.poll(() => stage.gateway.logText()).toContain('"method":"gRPC"');
  });

  it('that the client cancels ends the stream and not the task', async () => {
    const stream = client.stream('SendStreamingMessage', message('ask'));
    await stream.until(1);
    stream.call.cancel();
    await expect(stream.end).rejects.toMatchObject({ status: 'CANCELLED' });
    const { task } = stream.events[0] as { task: { id: string } };
    expect((await stage.client.until(task.id, 'INPUT_REQUIRED')).id).toBe(task.id);
  });
});

describe('a stream', () => {
  it('[A2A-GRPC-04] goes on after the cursor in its metadata, with the same events', async () => {
    const extended = { 'a2a-extensions': HARN_EXTENSION };
    const stream = client.stream('SendStreamingMessage', message('stream 4'), extended);
    const trailers = await stream.end;
    const cursors = stream.events.map((event) => /"event_id":"(\d{20})"/.exec(JSON.stringify(event))?.[1]);
    expect(trailers.get('last-event-id')).toEqual([cursors.at(-1)]);
    const { task } = stream.events[0] as { task: { id: string } };
    const from = cursors[2] ?? '';
    const resumed = client.stream('SubscribeToTask', { id: task.id }, { ...extended, 'last-event-id': from });
    await resumed.end;
    expect(resumed.events.slice(1)).toEqual(stream.events.slice(3));
    const bad = client.stream('SubscribeToTask', { id: task.id }, { 'last-event-id': 'x' });
    await expect(bad.end).rejects.toMatchObject({ status: 'INVALID_ARGUMENT' });
  });
});

describe('health and reflection', () => {
  const ask = (path: string, bytes: Uint8Array) => as().raw(path, Buffer.from(bytes));

  it('say what is served, to everybody', async () => {
    const file = readFile(Buffer.from(HEALTH, 'base64'));
    const request = messageOf(file, 'HealthCheckRequest');
    const response = messageOf(file, 'HealthCheckResponse');
    for (const service of ['', 'lf.a2a.v1.A2AService']) {
      const answer = await ask(
        '/grpc.health.v1.Health/Check',
        toBinary(request, fromJson(request, { service })),
      );
      expect(toJson(response, fromBinary(response, answer))).toEqual({ status: 'SERVING' });
    }
    await expect(
      ask('/grpc.health.v1.Health/Check', toBinary(request, fromJson(request, { service: 'no.Such' }))),
    ).rejects.toMatchObject({ status: 'NOT_FOUND' });
  });

  it.each(['v1', 'v1alpha'])('%s gives the files of a service', async (version) => {
    const file = readFile(Buffer.from(REFLECTION, 'base64'));
    const request = messageOf(file, 'ServerReflectionRequest');
    const response = messageOf(file, 'ServerReflectionResponse');
    const call = as().client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
    );
    const answers: JsonObject[] = [];
    const ended = new Promise((resolve) => call.on('end', resolve));
    call.on('data', (bytes: Buffer) =>
      answers.push(toJson(response, fromBinary(response, bytes)) as JsonObject),
    );
    for (const asked of [
      { listServices: '' },
      { fileContainingSymbol: 'lf.a2a.v1.A2AService' },
      { fileContainingSymbol: 'no.Such' },
    ])
      call.write(Buffer.from(toBinary(request, fromJson(request, asked))));
    call.end();
    await ended;
    const [listed, given, none] = answers as [
      { listServicesResponse: { service: { name: string }[] } },
      { fileDescriptorResponse: { fileDescriptorProto: string[] } },
      object,
    ];
    expect(listed.listServicesResponse.service.map(({ name }) => name)).toContain('lf.a2a.v1.A2AService');
    const files = given.fileDescriptorResponse.fileDescriptorProto.map((text) =>
      fromBinary(FileDescriptorProtoSchema, Buffer.from(text, 'base64')),
    );
    expect(files[0]?.service[0]?.method.map(({ name }) => name)).toContain('SendStreamingMessage');
    expect(none).toHaveProperty('errorResponse.errorCode', 5);
  });
});
