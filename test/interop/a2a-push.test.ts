import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { ClientFactory as ClientFactory03, JsonRpcTransportFactory as JsonRpc03 } from 'a2a03/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizedFetch } from '../harness/a2a-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

describe('push notifications, asked for by real A2A clients', () => {
  let agent: Peer;
  let gateway: TestGateway;
  let receiver: Receiver;
  let fetchImpl: typeof fetch;
  beforeAll(async () => {
    agent = await startSampleAgent();
    receiver = await startReceiver();
    gateway = await startTestGateway({
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        outbound: { allow: ['127.0.0.1'] },
      },
    });
    fetchImpl = (input, init) => authorizedFetch(gateway)(input, init);
  });
  afterAll(async () => {
    await gateway.close();
    await receiver.close();
    await agent.close();
  });
  const asking = async () => {
    const { id } = await gateway.client.submit('ask');
    await gateway.client.until(id, 'INPUT_REQUIRED');
    return id;
  };

  it.each(['JSONRPC', 'HTTP+JSON'])('1.0 over %s: create, get, list, delivery, delete', async (binding) => {
    const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports,
      preferredTransports: [binding],
    });
    const client = await new ClientFactory(options).createFromUrl(gateway.url);
    const taskId = await asking();
    const wanted = { taskId, id: 'mine', url: receiver.url, token: `token-${binding}-0123` };
    const made = await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(wanted));
    expect(made).toMatchObject({ taskId, id: 'mine', url: receiver.url, token: '' });
    const named = { tenant: '', taskId, id: 'mine' };
    expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ id: 'mine' });
    const listed = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId,
      pageSize: 10,
      pageToken: '',
    });
    expect(listed.configs.map(({ id }) => id)).toEqual(['mine']);
    await gateway.client.post(`/v1/tasks/${taskId}/cancel`, {});
    await expect
      .poll(() => receiver.posts.map(({ headers }) => headers['x-a2a-notification-token']))
      .toContain(wanted.token);
    await client.deleteTaskPushNotificationConfig(named);
    await expect(client.getTaskPushNotificationConfig(named)).rejects.toThrow();
    await client.deleteTaskPushNotificationConfig(named);
  });

  it('[A2A-PUSH-01] 1.0: a config that comes with the message holds from the beginning', async () => {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
    });
    const client = await new ClientFactory(options).createFromUrl(gateway.url);
    const taskPushNotificationConfig = { url: receiver.url, token: 'token-with-message-01' };
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'one two' }] };
    await client.sendMessage(
      SendMessageRequest.fromJSON({ message, configuration: { taskPushNotificationConfig } }),
    );
    const mine = () =>
      receiver.posts.filter(({ headers }) => headers['x-a2a-notification-token'] === 'token-with-message-01');
    await expect.poll(() => JSON.stringify(mine().at(-1)?.body)).toContain('TASK_STATE_COMPLETED');
    expect(mine().some(({ body }) => 'artifactUpdate' in body)).toBe(true);
  });

  it('0.3: set, get, list, delivery of the task, delete', async () => {
    const options = { transports: [new JsonRpc03({ fetchImpl })] };
    const client = await new ClientFactory03(options).createFromUrl(gateway.url);
    const taskId = await asking();
    const pushNotificationConfig = { id: 'old', url: receiver.url, token: 'token-of-03-0123456' };
    const made = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
    expect(made).toEqual({ taskId, pushNotificationConfig: { id: 'old', url: receiver.url } });
    const named = { id: taskId, pushNotificationConfigId: 'old' };
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(made);
    expect(await client.listTaskPushNotificationConfig({ id: taskId })).toEqual([made]);
    await gateway.client.post(`/v1/tasks/${taskId}/cancel`, {});
    const mine = () =>
      receiver.posts.filter(({ headers }) => headers['x-a2a-notification-token'] === 'token-of-03-0123456');
    await expect
      .poll(() => mine().map(({ body }) => body))
      .toMatchObject([{ kind: 'task', id: taskId, status: { state: 'canceled' } }]);
    await client.deleteTaskPushNotificationConfig(named);
    expect(await client.listTaskPushNotificationConfig({ id: taskId })).toEqual([]);
    await client.deleteTaskPushNotificationConfig(named);
  });

  it('configs survive a restart: both versions are told what happens after it, each in its words', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-a2a-push-'));
    const start = async () => {
      await gateway.close();
      gateway = await startTestGateway({
        data,
        config: {
          upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
          outbound: { allow: ['127.0.0.1'] },
        },
      });
    };
    try {
      await start();
      const transports = [new JsonRpcTransportFactory({ fetchImpl })];
      const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports });
      const client = await new ClientFactory(options).createFromUrl(gateway.url);
      const options03 = { transports: [new JsonRpc03({ fetchImpl })] };
      const client03 = await new ClientFactory03(options03).createFromUrl(gateway.url);
      const taskId = await asking();
      const wanted = { taskId, id: 'new', url: receiver.url, token: 'token-new-over-restart' };
      await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(wanted));
      await client03.setTaskPushNotificationConfig({
        taskId,
        pushNotificationConfig: { id: 'old', url: receiver.url, token: 'token-old-over-restart' },
      });
      await start();
      await gateway.client.post(`/v1/tasks/${taskId}/cancel`, {});
      const posted = (token: string) =>
        receiver.posts
          .filter(({ headers }) => headers['x-a2a-notification-token'] === token)
          .map(({ body }) => body);
      await expect
        .poll(() => posted('token-new-over-restart'))
        .toMatchObject([{ statusUpdate: { taskId, status: { state: 'TASK_STATE_CANCELED' } } }]);
      await expect
        .poll(() => posted('token-old-over-restart'))
        .toMatchObject([{ kind: 'task', id: taskId, status: { state: 'canceled' } }]);
    } finally {
      await gateway.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
