import { describe, expect, it } from 'vitest';
import { signal } from '../harness/a2a-stage.ts';
import { taskFrame } from '../harness/a2a-words.ts';
import { userText } from '../harness/client.ts';
import { type Answer, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { stageOf } from './stage.ts';

let made = 0;
const newKey = () => {
  made += 1;
  return `key-${made}`;
};

describe('idempotency', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    config: {
      limits: { cancel_wait_ms: 2_000 },
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_b' }, { id: 'workspace_other', tenant: 'tenant_other' }],
    },
    keys: [
      { actor: 'second' },
      { name: 'namesake', actor: 'actor_test', tenant: 'tenant_other', workspaces: ['workspace_other'] },
      { name: 'elsewhere', actor: 'actor_test', workspaces: ['workspace_b'] },
    ],
  });
  const send = (method: string, path: string, key: string, body?: unknown, client = stage.client) =>
    client.call(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { 'idempotency-key': key },
    });
  const session = () => ({ workspace_id: 'workspace_default' });
  const count = async (path: string) => (await stage.client.get<{ data: unknown[] }>(path)).data.length;

  it('[CORE-IDEM-01] [CORE-IDEM-04] every write that makes or moves something gives the first answer again', async () => {
    const { id } = await stage.client.session();
    const asking = await stage.client.submit('ask');
    await stage.client.until(asking.id, 'INPUT_REQUIRED');
    const blocked = await stage.client.submit('ask');
    await stage.client.until(blocked.id, 'INPUT_REQUIRED');
    const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public' };
    const writes: [method: string, path: string, body?: unknown][] = [
      ['POST', '/v1/sessions', session()],
      ['POST', '/v1/workspaces', { name: 'W', root: 'harn://w' }],
      ['PATCH', `/v1/sessions/${id}`, { summary: 's' }],
      ['PATCH', '/v1/workspaces/workspace_default', { metadata: { seen: 1 } }],
      ['POST', `/v1/sessions/${id}/messages`, { message: userText('m') }],
      ['POST', `/v1/sessions/${id}/tasks`, { input: userText('hello') }],
      ['POST', '/v1/tasks', { session_id: id, input: userText('hello') }],
      ['POST', `/v1/tasks/${asking.id}/messages`, { kind: 'input', message: userText('red') }],
      ['POST', `/v1/tasks/${blocked.id}/cancel`],
      ['POST', '/v1/artifacts', artifact],
      ['POST', `/v1/sessions/${id}/close`],
    ];
    for (const [method, path, body] of writes) {
      const key = newKey();
      const first = await send(method, path, key, body);
      expect([path, first.status < 300]).toEqual([path, true]);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      const again = await send(method, path, key, body);
      expect([path, again.status, again.body]).toEqual([path, first.status, first.body]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
  });

  it('[CORE-IDEM-04] bodies that differ in order and white space only are the same body', async () => {
    const key = newKey();
    const first = await send('POST', '/v1/sessions', key, {
      workspace_id: 'workspace_default',
      metadata: { a: 1, b: 2 },
    });
    const text = '{ "metadata": {"b": 2.0, "a": 1},\n "workspace_id": "workspace_default" }';
    const again = await stage.client.call('POST', '/v1/sessions', {
      body: text,
      headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    });
    expect(again.body).toEqual(first.body);
  });

  it('[CORE-IDEM-05] another body under the same key is 409 idempotency_key_reused', async () => {
    const key = newKey();
    await send('POST', '/v1/sessions', key, session());
    const other = await send('POST', '/v1/sessions', key, { ...session(), metadata: { other: true } });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ error: { code: 'idempotency_key_reused', type: 'conflict_error' } });
  });

  it('[CORE-IDEM-02] the same key is another one for another actor, target or workspace', async () => {
    const key = newKey();
    const one = await stage.client.session();
    const two = await stage.client.session();
    const body = { input: userText('hello') };
    const ids = [
      await send('POST', `/v1/sessions/${one.id}/tasks`, key, body),
      await send('POST', `/v1/sessions/${two.id}/tasks`, key, body),
      await send('POST', `/v1/sessions/${one.id}/tasks`, key, body, stage.as('second')),
      await send('POST', '/v1/tasks', key, { session_id: one.id, ...body }),
    ].map((answer) => [answer.status, answer.body['id']]);
    expect(ids.map(([status]) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(4);
    const other = await stage.client.post<{ id: string }>('/v1/workspaces', { name: 'O', root: 'harn://o' });
    const here = await send('POST', '/v1/sessions', key, session());
    const there = await send('POST', '/v1/sessions', key, { workspace_id: other.id });
    expect(there.status).toBe(201);
    expect(there.body['id']).not.toBe(here.body['id']);
  });

  it('[CORE-IDEM-02] a key of the same actor name elsewhere never gets the answer', async () => {
    const key = newKey();
    const first = await send('POST', '/v1/sessions', key, session());
    expect(first.status).toBe(201);
    for (const id of ['namesake', 'elsewhere']) {
      const theirs = await send('POST', '/v1/sessions', key, session(), stage.as(id));
      expect([id, theirs.status, theirs.body['id']]).toEqual([id, 404, undefined]);
    }
    const one = await send('POST', '/v1/workspaces', key, { name: 'W', root: 'harn://w' });
    const two = await send(
      'POST',
      '/v1/workspaces',
      key,
      { name: 'W', root: 'harn://w' },
      stage.as('namesake'),
    );
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(two.body['id']).not.toBe(one.body['id']);
  });

  it('[C21] a write without a workspace counts per actor', async () => {
    const key = newKey();
    const body = { name: 'Same', root: 'harn://same' };
    const first = await send('POST', '/v1/workspaces', key, body);
    expect((await send('POST', '/v1/workspaces', key, body)).body).toEqual(first.body);
    expect((await send('POST', '/v1/workspaces', key, body, stage.as('second'))).body['id']).not.toBe(
      first.body['id'],
    );
  });

  it('[CORE-IDEM-06] a hundred simultaneous retries make one task, one message, one artifact', async () => {
    const { id } = await stage.client.session();
    const other = await stage.client.session();
    const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public', session_id: other.id };
    const races: [path: string, body: unknown, list: string][] = [
      [`/v1/sessions/${id}/messages`, { message: userText('raced') }, `/v1/sessions/${id}/messages`],
      [`/v1/sessions/${id}/tasks`, { input: userText('slow 30') }, `/v1/sessions/${id}/tasks`],
      ['/v1/artifacts', artifact, `/v1/artifacts?session_id=${other.id}`],
    ];
    for (const [path, body, list] of races) {
      const before = await count(list);
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 100 }, () => send('POST', path, key, body)));
      expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length).toBe(1);
      expect([list, (await count(list)) - before]).toEqual([list, 1]);
    }
    await stage.client.post(`/v1/sessions/${id}/close`);
  });

  it('[CORE-IDEM-07] a retry while the first request waits for the agent is no second request', async () => {
    const asked = signal();
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), { hang: true });
    script['CancelTask'] = () => {
      asked.give();
      return stream({ hang: true });
    };
    const task = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    const kinds = async () =>
      (await stage.client.events(`/v1/tasks/${task.id}/events`)).map(({ event }) => event);
    await expect.poll(kinds).toContain('vendor.harn_gateway.upstream_bound');
    const key = newKey();
    const first = send('POST', `/v1/tasks/${task.id}/cancel`, key);
    await asked.given;
    const retry = send('POST', `/v1/tasks/${task.id}/cancel`, key);
    expect((await first).body).toMatchObject({ status: 'CANCELED' });
    expect((await retry).body).toMatchObject({ id: task.id, status: 'CANCELED' });
    const counted = await kinds();
    expect(counted.filter((kind) => kind === 'user.cancel_requested').length).toBe(1);
    expect(counted.filter((kind) => kind === 'task.canceled').length).toBe(1);
  });

  it('[CORE-IDEM-04] a refusal that another try cannot change is given again too', async () => {
    const key = newKey();
    const refused = await send('POST', '/v1/sessions', key, { workspace_id: 7 });
    const again = await send('POST', '/v1/sessions', key, { workspace_id: 7 });
    const plain = ({ body }: { body: Record<string, unknown> }) => ({
      ...(body['error'] as object),
      request_id: '',
    });
    expect([refused.status, again.status]).toEqual([400, 400]);
    expect(plain(again)).toEqual(plain(refused));
  });

  it('[CORE-IDEM-04] what had no access leaves the key free', async () => {
    const key = newKey();
    const headers = { 'idempotency-key': key };
    const version = { 'Harn-Agents-Protocol-Version': undefined };
    expect(
      (
        await stage.client.call('POST', '/v1/sessions', {
          body: session(),
          headers: { ...headers, ...version },
        })
      ).status,
    ).toBe(426);
    expect(
      (
        await stage.client.call('POST', '/v1/sessions', {
          body: session(),
          headers: { ...headers, authorization: 'Bearer x' },
        })
      ).status,
    ).toBe(401);
    expect((await send('POST', '/v1/sessions', key, session())).status).toBe(201);
  });
});
