import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamResponse } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { DeadLetter, PushConfig } from '#resources/push/schema.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../harness/gateway.ts';
import { keeper } from '../../harness/keeper.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { type Received, type Receiver, startReceiver } from '../../harness/receiver.ts';

const SECRET = 'a-secret-of-the-receiver-0123';
const TOKEN = 'token-of-the-receiver-4567';

describe('push', () => {
  const { kept, keptFolder } = keeper();

  async function stage(outbound: object = {}, options: TestGatewayOptions = {}) {
    const agent = kept(await startSampleAgent());
    const receiver = kept(await startReceiver());
    const gateway = kept(await gatewayOf(agent, outbound, options));
    return { agent, receiver, gateway };
  }
  const gatewayOf = (agent: Peer, outbound: object, options: TestGatewayOptions = {}) =>
    startTestGateway({
      ...options,
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        outbound: { allow: ['127.0.0.1'], ...outbound },
      },
    });
  const setConfig = ({ client }: TestGateway, taskId: string, body: object) =>
    client.post<PushConfig>(`/v1/tasks/${taskId}/push-configs`, body);
  const eventOf = ({ body }: Received) => body['event'] as { id: string; event: string };
  const deadLetters = async ({ client }: TestGateway) =>
    (await client.get<{ data: DeadLetter[] }>('/v1/dead-letters')).data;

  /** A task that waits, with a push config; `finish` lets it end. */
  async function waiting(
    { gateway, receiver }: { gateway: TestGateway; receiver: Receiver },
    extra: object = {},
  ) {
    const { client } = gateway;
    const task = await client.submit('ask');
    await client.until(task.id, 'INPUT_REQUIRED');
    const config = await setConfig(gateway, task.id, { url: receiver.url, ...extra });
    const finish = () => client.post(`/v1/tasks/${task.id}/cancel`, {});
    return { task, config, finish };
  }

  it('[X-09] posts every later event of a task in order, signed with its time, with token and authentication', async () => {
    const scene = await stage();
    const { receiver, gateway } = scene;
    const authentication = { scheme: 'Bearer', credentials: 'credentials-of-the-receiver' };
    const { task, finish } = await waiting(scene, { secret: SECRET, token: TOKEN, authentication });
    await finish();
    await expect.poll(() => receiver.posts.map((post) => eventOf(post).event)).toContain('task.canceled');
    const all = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    const told = receiver.posts.map((post) => eventOf(post).id);
    const end = all.findIndex(({ event }) => event === 'task.canceled');
    expect(told).toEqual(all.slice(end + 1 - told.length, end + 1).map(({ id }) => id));
    const [first] = receiver.posts;
    expect(first?.body['task']).toMatchObject({ id: task.id });
    expect(first?.headers).toMatchObject({
      'x-a2a-notification-token': TOKEN,
      'a2a-notification-token': TOKEN,
      authorization: 'Bearer credentials-of-the-receiver',
      'content-type': 'application/json',
    });
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers['x-harn-signature'])) ?? [];
    expect(createHmac('sha256', SECRET).update(`${t}.${first?.text}`).digest('hex')).toBe(v1);
    expect(new Set(receiver.posts.map(({ headers }) => headers['x-harn-delivery'])).size).toBe(told.length);
  });

  it('tells A2A receivers in their words: each change to 1.0, the Task after it to 0.3', async () => {
    const scene = await stage();
    const { receiver, gateway } = scene;
    const { task, finish } = await waiting(scene, { form: 'a2a-1.0' });
    const older = kept(await startReceiver());
    await setConfig(gateway, task.id, { url: older.url, form: 'a2a-0.3' });
    await finish();
    await expect.poll(() => [receiver.posts.length, older.posts.length]).toEqual([1, 1]);
    expect(receiver.posts[0]?.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
    });
    const event = StreamResponse.fromJSON(receiver.posts[0]?.body);
    expect(event.payload?.$case).toBe('statusUpdate');
    expect(receiver.posts[0]?.body).toMatchObject({
      statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_CANCELED' } },
    });
    expect(older.posts[0]?.body).toMatchObject({
      kind: 'task',
      id: task.id,
      status: { state: 'canceled' },
    });
  });

  it('[X-08] tries again what was not taken, under the same delivery id, before anything later', async () => {
    const scene = await stage();
    const { receiver } = scene;
    receiver.answer = (_, n) => (n === 1 ? 503 : 204);
    const { finish } = await waiting(scene);
    await finish();
    await expect
      .poll(() => receiver.posts.map((post) => eventOf(post).event), { timeout: 10_000 })
      .toContain('task.canceled');
    const ids = receiver.posts.map(({ headers }) => headers['x-harn-delivery']);
    expect(ids[1]).toBe(ids[0]);
    expect([...new Set(ids)]).toEqual([...new Set(ids)].sort());
    expect(receiver.posts[1]?.text).toContain(eventOf(receiver.posts[0] as Received).id);
  });

  it('[X-08] gives up in the end: a dead letter that can be seen, and sent again', async () => {
    const scene = await stage({ give_up_after_ms: 1 });
    const { receiver, gateway } = scene;
    receiver.answer = (_, n) => (n === 1 ? 500 : 200);
    const { task, config, finish } = await waiting(scene);
    await finish();
    await expect.poll(async () => (await deadLetters(gateway)).length).toBe(1);
    const [letter] = await deadLetters(gateway);
    expect(letter).toMatchObject({
      object: 'dead_letter',
      task_id: task.id,
      push_config_id: config.id,
      status: 'dead',
      reason: 'http 500',
      attempts: 1,
    });
    await expect.poll(() => receiver.posts.map((post) => eventOf(post).event)).toContain('task.canceled');
    const before = receiver.posts.length;
    const retried = await gateway.client.post<DeadLetter>(`/v1/dead-letters/${letter?.id}/retry`);
    expect(retried.status).toBe('retrying');
    await expect.poll(async () => (await deadLetters(gateway))[0]?.status).toBe('delivered');
    expect(receiver.posts).toHaveLength(before + 1);
    const again = receiver.posts.at(-1) as Received;
    expect(eventOf(again).id).toBe(letter?.event_id);
    expect(again.headers['x-harn-delivery']).toBe(receiver.posts[0]?.headers['x-harn-delivery']);
    const refused = await gateway.client.call('POST', `/v1/dead-letters/${letter?.id}/retry`);
    expect(refused.status).toBe(409);
  });

  it('a retry that fails leaves the dead letter, with what happened', async () => {
    const scene = await stage({ give_up_after_ms: 1 });
    const { receiver, gateway } = scene;
    receiver.answer = () => 410;
    const { finish } = await waiting(scene);
    await finish();
    await expect.poll(async () => (await deadLetters(gateway)).length).toBeGreaterThan(0);
    receiver.answer = () => 500;
    const [letter] = await deadLetters(gateway);
    await gateway.client.post(`/v1/dead-letters/${letter?.id}/retry`);
    await expect
      .poll(async () => (await deadLetters(gateway)).find(({ id }) => id === letter?.id))
      .toMatchObject({ status: 'dead', reason: 'http 500', attempts: 2 });
  });

  it('goes on after a restart with what was not acknowledged, once more under the same id, and in order', async () => {
    const data = keptFolder();
    const { agent, receiver, gateway } = await stage({}, { data });
    receiver.answer = () => 'hang';
    const { task, finish } = await waiting({ gateway, receiver });
    await finish();
    await expect.poll(() => receiver.posts.length).toBe(1);
    await gateway.close();
    receiver.answer = () => 200;
    const second = kept(await gatewayOf(agent, {}, { data }));
    await expect.poll(() => receiver.posts.map((post) => eventOf(post).event)).toContain('task.canceled');
    const ids = receiver.posts.map(({ headers }) => headers['x-harn-delivery']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids.slice(1)).toEqual([...new Set(ids.slice(1))].sort());
    expect((await second.client.get<{ id: string }>(`/v1/tasks/${task.id}`)).id).toBe(task.id);
  });

  it('keeps what proves the sender sealed: no answer, event, log line or file holds it', async () => {
    const scene = await stage();
    const { gateway, receiver } = scene;
    const authentication = { scheme: 'Bearer', credentials: 'credentials-of-the-receiver' };
    const { task, config, finish } = await waiting(scene, { secret: SECRET, token: TOKEN, authentication });
    expect(config).toMatchObject({ has_token: true, is_signed: true, authentication_scheme: 'Bearer' });
    await finish();
    await expect.poll(() => receiver.posts.length).toBeGreaterThan(0);
    const answers = await Promise.all(
      [
        `/v1/tasks/${task.id}/push-configs`,
        `/v1/tasks/${task.id}/push-configs/${config.id}`,
        '/v1/events',
        '/v1/dead-letters',
      ].map((path) => gateway.client.call('GET', path)),
    );
    const store = join(gateway.data, 'store');
    const files = readdirSync(store).map((name) => readFileSync(join(store, name)).toString('latin1'));
    const texts = [...answers.map(({ text }) => text), gateway.logText(), ...files, JSON.stringify(config)];
    for (const hidden of [SECRET, TOKEN, authentication.credentials])
      for (const text of texts) expect(text.includes(hidden)).toBe(false);
  });

  it('stops at once when the config is deleted, and replaces the one of the same name', async () => {
    const scene = await stage();
    const { gateway, receiver } = scene;
    const { task, config, finish } = await waiting(scene, { client_id: 'mine' });
    const other = await setConfig(gateway, task.id, { url: `${receiver.url}/other`, client_id: 'mine' });
    const listed = () => gateway.client.get<{ data: PushConfig[] }>(`/v1/tasks/${task.id}/push-configs`);
    expect((await listed()).data.map(({ id }) => id)).toEqual([other.id]);
    const path = `/v1/tasks/${task.id}/push-configs`;
    expect((await gateway.client.call('GET', `${path}/${config.id}`)).status).toBe(404);
    expect((await gateway.client.call('DELETE', `${path}/${other.id}`)).status).toBe(204);
    expect((await listed()).data).toEqual([]);
    await finish();
    await gateway.client.until(task.id, 'CANCELED');
    expect(receiver.posts).toEqual([]);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'not public'],
    ['https://10.0.0.1/', 'not public'],
    ['https://rebind.example/', 'not public'],
    ['http://93.184.216.34/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['nowhere', 'no URL'],
  ])('[X-01] refuses the receiver %s when it is named', async (url, why) => {
    const resolveHost = async (name: string) => {
      if (name === 'rebind.example') return ['192.168.0.1'];
      throw new Error('ENOTFOUND');
    };
    const scene = await stage({}, { resolveHost });
    const task = await scene.gateway.client.submit('ask');
    await scene.gateway.client.until(task.id, 'INPUT_REQUIRED');
    const answer = await scene.gateway.client.call('POST', `/v1/tasks/${task.id}/push-configs`, {
      body: { url },
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: { code: 'invalid_request', param: 'url', message: expect.stringContaining(why) },
    });
  });

  it('[X-02] does not deliver to a name that leads elsewhere by then; that is a dead letter at once', async () => {
    const addresses = ['127.0.0.1'];
    const scene = await stage({}, { resolveHost: async () => addresses });
    const { gateway, receiver } = scene;
    const { port } = new URL(receiver.url);
    const { finish } = await waiting(scene, { url: `http://rebind.example:${port}/hook` });
    addresses[0] = '127.0.0.2';
    await finish();
    await expect
      .poll(() => deadLetters(gateway))
      .toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'refused: address' })]));
    expect(receiver.posts).toEqual([]);
  });

  it('takes eight configs of a task, and no form that nobody knows', async () => {
    const scene = await stage();
    const { client } = scene.gateway;
    const { task, finish } = await waiting(scene);
    const path = `/v1/tasks/${task.id}/push-configs`;
    for (let n = 2; n <= 8; n += 1) await setConfig(scene.gateway, task.id, { url: scene.receiver.url });
    expect((await client.call('POST', path, { body: { url: scene.receiver.url } })).status).toBe(409);
    const unknown = await client.call('POST', path, { body: { url: scene.receiver.url, form: 'smoke' } });
    expect(unknown.body).toMatchObject({ error: { code: 'invalid_request', param: 'form' } });
    await finish();
    await client.until(task.id, 'CANCELED');
  });

  it('takes one of a task that is over: from now on nothing is delivered, and nothing waits to be', async () => {
    const scene = await stage();
    const { gateway, receiver } = scene;
    const { id } = await gateway.client.submit('ask');
    await gateway.client.post(`/v1/tasks/${id}/cancel`, {});
    await gateway.client.until(id, 'CANCELED');
    const late = await setConfig(gateway, id, { url: `${receiver.url}?now` });
    await setConfig(gateway, id, { url: `${receiver.url}?beginning`, from: 'beginning' });
    const posted = () => receiver.posts.filter(({ path }) => path.endsWith('?beginning'));
    await expect.poll(() => JSON.stringify(posted().at(-1)?.body)).toContain('task.canceled');
    expect(receiver.posts.filter(({ path }) => path.endsWith('?now'))).toEqual([]);
    const { event, payload } = (await gateway.client.events('/v1/events')).find(
      ({ resource }) => resource.id === late.id,
    ) ?? { event: '', payload: {} };
    expect([event, payload]).toMatchObject(['vendor.harn_gateway.push_config_set', { is_done: true }]);
  });

  it('takes one whose host does not resolve: it is tried until it does, and then judged like any other', async () => {
    const found = new Map<string, string[]>();
    const resolveHost = async (host: string) => {
      const addresses = found.get(host);
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses;
    };
    const scene = await stage({}, { resolveHost });
    const { gateway, receiver } = scene;
    const { port } = new URL(receiver.url);
    const { task, finish } = await waiting(scene, { url: `http://later.example:${port}/later` });
    await setConfig(gateway, task.id, { url: `http://inside.example:${port}/inside` });
    await finish();
    found.set('inside.example', ['127.0.0.2']).set('later.example', ['127.0.0.1']);
    await expect.poll(() => receiver.posts.map(({ path }) => path), { timeout: 15_000 }).toContain('/later');
    await expect
      .poll(() => deadLetters(gateway), { timeout: 15_000 })
      .toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'refused: address' })]));
    expect(receiver.posts.filter(({ path }) => path === '/inside')).toEqual([]);
  });
});
