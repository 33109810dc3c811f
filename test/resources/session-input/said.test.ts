import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { A2aTestClient } from '../../harness/a2a-client.ts';
import { artifactFrame, statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { AcpClient } from '../../harness/acp-client.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { OtlpCollector } from '../../harness/otlp-collector.ts';
import { type ScriptedCall, stream } from '../../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { eventsOf, replayOf } from '../../harness/runs.ts';
import { WsTestClient } from '../../harness/ws-client.ts';

const SECRET = 'canary words of no pattern';

/** What a person or an agent says of a secret of the session is hidden, whichever way it comes. */
describe('a secret of a session that is said in it', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-said-'));
  let peer: ScriptedPeer;
  let collector: OtlpCollector;
  let gateway: TestGateway;
  const sessions: string[] = [];
  beforeAll(async () => {
    collector = await OtlpCollector.start();
    // In an artifact that comes in two pieces, the second one too large for an event, and in words.
    const says = (text: string) =>
      stream(
        taskFrame('WORKING'),
        artifactFrame(text, false),
        artifactFrame(`${'x'.repeat(100_000)} ${text}`, true, true),
        statusFrame('FAILED', text),
      );
    const [known, unknown] = [says(`It is ${SECRET}.`), says('What is it?')];
    // It says the words again where it heard them.
    const answer = ({ params }: ScriptedCall) => (JSON.stringify(params).includes(SECRET) ? known : unknown);
    peer = await startScriptedAgent({ SendStreamingMessage: answer });
    gateway = await startTestGateway({
      data,
      config: {
        upstreams: { a2a: [{ id: 'shop', card: peer.cardUrl }] },
        telemetry: { otlp: { endpoint: collector.url, content: true } },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await peer.close();
    await collector.close();
    rmSync(data, { recursive: true });
  });

  const put = async (sessionId: string) => {
    sessions.push(sessionId);
    const body = { kind: 'put', spec: { name: 'TOKEN' }, value: SECRET };
    expect((await gateway.client.call('POST', `/v1/sessions/${sessionId}/inputs`, { body })).status).toBe(
      200,
    );
  };
  const failed = (taskId: string) => gateway.client.until(taskId, 'FAILED');
  const words = `I say ${SECRET}.`;
  const input = userText(words);

  it('over REST, in the body and in a session by its key', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    await put(id);
    const headers = { 'idempotency-key': 'said' };
    const body = { input, session_id: id, metadata: { note: words } };
    const task = await client.call<{ id: string }>('POST', '/v1/tasks', { body, headers });
    await failed(task.body.id);
    const replay = await replayOf(client, task.body.id, { mode: 'exact' });
    const told = (await eventsOf(client, replay.id)).find(({ event }) => event === 'replay.completed');
    expect(told?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    const { data: made } = await client.get<{ data: { id: string }[] }>(
      `/v1/artifacts?task_id=${task.body.id}`,
    );
    const [poem] = await Promise.all(
      made.map(
        async ({ id: artifact }) => (await client.call('GET', `/v1/artifacts/${artifact}/content`)).text,
      ),
    );
    expect(poem).toContain('It is <redacted:known_secret:');
    expect(poem).not.toContain(SECRET);
    await client.call('POST', `/v1/sessions/${id}/fork`, { body: { metadata: { note: words } } });
    await client.call('PATCH', `/v1/sessions/${id}`, { body: { summary: words, metadata: { words } } });
    await client.call('POST', `/v1/sessions/${id}/attach`, {
      body: { client_id: 'me', metadata: { words } },
    });
    const branch = await client.call<{ id: string }>('POST', `/v1/sessions/${id}/branches`, {
      body: { name: 'side', metadata: { words } },
    });
    await client.call('POST', `/v1/branches/${branch.body.id}/abandon`, { body: { reason: words } });
    const session = { workspace_id: 'workspace_default', key: 'thread' };
    const first = await client.post<{ id: string; session_id: string }>('/v1/tasks', {
      input: userText('hello'),
      session,
    });
    await failed(first.id);
    await put(first.session_id);
    const second = await client.post<{ id: string; session_id: string }>('/v1/tasks', { input, session });
    expect(second.session_id).toBe(first.session_id);
    await failed(second.id);
  });

  it('in what names its session by another member: a rule, a memory, a hold', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    await put(id);
    const globs = { class: 'exec', action_pattern: '*', target_pattern: '*', allow: false };
    const rule = { ...globs, scope: 'session', scope_value: id, reason: words };
    const hidden = expect.stringContaining('<redacted:known_secret:');
    expect(await client.post('/v1/permissions/rules', rule)).toMatchObject({ reason: hidden });
    const body = { ...rule, target_pattern: `*${SECRET}*` };
    expect((await client.call('POST', '/v1/permissions/rules', { body })).body).toMatchObject({
      error: { code: 'invalid_request', param: 'target_pattern' },
    });
    const memory = { scope: 'session', owner_id: id, content: words, provenance: {} };
    expect(await client.post('/v1/memories', memory)).toMatchObject({ content: hidden });
    const hold = await client.post<{ id: string }>('/v1/holds', {
      name: 'kept',
      session_ids: [id],
      reason: words,
    });
    expect(hold).toMatchObject({ reason: hidden });
    expect(await client.post(`/v1/holds/${hold.id}/release`, { reason: words })).toMatchObject({
      release_reason: hidden,
    });
  });

  it('over a WebSocket, ACP and A2A', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    await put(id);
    const socket = await WsTestClient.open(gateway.url, '/v1/ws', { key: client.key });
    const frame = { id: 'm', type: 'user_message', session_id: id, message: input };
    expect((await socket.ask(frame)).type).toBe('ack');
    socket.socket.close();

    const editor = await AcpClient.overSocket(gateway.url, client.key);
    await editor.agent.request('initialize', { protocolVersion: 1 });
    const { sessionId } = await editor.session({ route: 'a2a:shop' });
    await put(sessionId);
    await editor.prompt(sessionId, words).catch(() => undefined);
    editor.close();

    const a2a = new A2aTestClient(gateway, 'shop');
    const send = async (text: string) => {
      const message = a2a.message(text, { contextId: 'a thread of theirs' });
      const { task } = await a2a.result('SendMessage', { message });
      return task;
    };
    await send('hello');
    const { data: found } = await client.get<{ data: { id: string }[] }>('/v1/sessions?limit=200');
    const [thread] = found.filter(({ id: known }) => !sessions.includes(known));
    await put(thread?.id ?? '');
    await send(words);
  });

  it('stands nowhere: not in answers, the log of the process, traces, bundles, receipts or on the disk', async () => {
    const { client } = gateway;
    const texts = [gateway.logText()];
    for (const id of sessions) {
      for (const rest of ['', '/events?limit=200', '/tasks', '/messages', '/transcript', '/live-clients'])
        texts.push((await client.call('GET', `/v1/sessions/${id}${rest}`)).text);
      const body = { session_id: id, mode: 'local' };
      texts.push((await client.call('POST', '/v1/bundles/export', { body })).text);
    }
    for (const path of ['/v1/receipts', '/v1/trust-records', '/v1/events', '/v1/tasks', '/v1/sessions'])
      texts.push((await client.call('GET', `${path}?limit=200`)).text);
    await gateway.close();
    texts.push(collector.text, ...(await rowsOf(join(data, 'store'))));
    expect(sessions.length).toBe(6);
    const found = texts.flatMap((text) => (text.includes(SECRET) ? [text.slice(0, 4_000)] : []));
    expect(found).toEqual([]);
    const heard = peer.requests.filter(({ body }) => JSON.stringify(body).includes(SECRET));
    expect(heard.length).toBeGreaterThan(3);
    expect(collector.text).toContain('redacted:known_secret');
  });
});

/** Every row as LevelDB holds it, before compression. */
async function rowsOf(path: string): Promise<string[]> {
  const store = await openLevelStore({ path });
  const rows: string[] = [];
  for await (const page of store.entries({ gte: '', lt: '~' }))
    for (const [key, value] of page) rows.push(`${key} ${value.toString('latin1')}`);
  await store.close();
  return rows;
}
