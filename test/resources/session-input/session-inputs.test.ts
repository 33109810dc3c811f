import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { stream } from '../../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { startToolServer, type ToolServer } from './tool-server.ts';

const TOKEN = 'canary plain words of the 1st token';
const HEADER = 'canary-words-of-the-header';
const OLD = 'canary words that were replaced 1st';
const HIDDEN = 'canary that only a snapshot names';
const SECRETS = [TOKEN, HEADER, OLD, HIDDEN];

describe('inputs of a session', () => {
  let server: ToolServer;
  let peer: ScriptedPeer;
  const data = mkdtempSync(join(tmpdir(), 'harn-inputs-'));
  let config: Record<string, unknown>;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = await startToolServer(({ token }) =>
      token === TOKEN ? `I was given ${token} and ${OLD}, ${HIDDEN}.` : 'Done.',
    );
    peer = await startScriptedAgent({
      SendStreamingMessage: stream(taskFrame('WORKING'), statusFrame('COMPLETED', `I saw ${HEADER}.`)),
    });
    config = {
      upstreams: {
        a2a: [{ id: 'shop', card: peer.cardUrl, inputs: { headers: { 'X-Shop': 'SHOP_HEADER' } } }],
        mcp: [
          {
            id: 'deploy',
            url: server.url,
            protocol: '2025-11-25',
            inputs: { headers: { 'X-Token': 'SHOP_HEADER' }, arguments: { token: 'TOKEN' } },
          },
        ],
      },
    };
    gateway = await startTestGateway({ data, config });
    while (!(await gateway.client.call('GET', '/v1/skills')).text.includes('deploy__deploy'))
      await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterAll(async () => {
    await gateway.close();
    await peer.close();
    await server.close();
    rmSync(data, { recursive: true });
  });

  const inputs = (sessionId: string, body: object) =>
    gateway.client.call<Record<string, never>>('POST', `/v1/sessions/${sessionId}/inputs`, { body });
  const put = (sessionId: string, name: string, value: string, more: object = {}, replace = false) =>
    inputs(sessionId, { kind: 'put', spec: { name, ...more }, value, replace });

  it('reach the upstreams that were to have them, and nothing else', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    const other = await client.session();
    await put(id, 'TOKEN', OLD);
    const headers = { 'idempotency-key': 'one' };
    const body = { kind: 'put', spec: { name: 'TOKEN' }, value: TOKEN, replace: true };
    const answer = await client.call('POST', `/v1/sessions/${id}/inputs`, { body, headers });
    expect(answer.body).toMatchObject({
      input: {
        name: 'TOKEN',
        kind: 'secret',
        lifetime: { kind: 'session' },
        usage: { kind: 'session_tools' },
      },
      delivery: { kept: 'memory', taken_by: [{ name: 'TOKEN', routes: ['mcp:deploy'] }] },
    });
    expect(answer.text).not.toContain(TOKEN);
    await put(id, 'SHOP_HEADER', HEADER);
    const snapshot = { sourceId: 'host', revision: 1, inputs: [], redactions: [HIDDEN] };
    await inputs(id, { kind: 'sync', snapshot });
    await client.call('POST', `/v1/sessions/${id}/inputs`, { body: { kind: 'put', value: TOKEN } });
    const call = { parts: [{ type: 'json', value: { to: 'staging' }, visibility: 'public' }], role: 'user' };
    const tool = await client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, {
      input: call,
      metadata: { route: 'skill:deploy__deploy' },
    });
    await client.until(tool.id, 'COMPLETED');
    const words = userText(`Use ${TOKEN} and ${HIDDEN}.`);
    const agent = await client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, {
      input: words,
      metadata: { route: 'a2a:shop', note: TOKEN },
    });
    await client.until(agent.id, 'COMPLETED');
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]?.params.arguments).toEqual({ to: 'staging', token: TOKEN });
    expect(server.calls[0]?.headers['x-token']).toBe(HEADER);
    const sent = peer.requests.find(({ operation }) => operation === 'SendStreamingMessage');
    expect(sent?.headers['x-shop']).toBe(HEADER);

    // Of another session nothing is handed out, and its words are its own.
    const foreign = await client.submit(`I say ${HEADER}, too.`, other.id, { route: 'a2a:shop' });
    await client.until(foreign.id, 'COMPLETED');
    const [, second] = peer.requests.filter(({ operation }) => operation === 'SendStreamingMessage');
    expect(second?.headers['x-shop']).toBeUndefined();
    expect((await client.call('GET', `/v1/sessions/${other.id}/transcript`)).text).toContain(HEADER);

    const fork = await client.post<{ id: string }>(`/v1/sessions/${id}/fork`, {});
    expect((await inputs(fork.id, { kind: 'list' })).body).toMatchObject({ inputs: [] });
    const texts = [
      gateway.logText(),
      ...(await Promise.all(
        ['', '/events?limit=200', '/tasks', '/messages', '/transcript', '/live-clients'].map(
          async (rest) => (await client.call('GET', `/v1/sessions/${id}${rest}`)).text,
        ),
      )),
      (await client.call('GET', `/v1/receipts?limit=200`)).text,
      (await client.call('POST', '/v1/bundles/export', { body: { session_id: id, mode: 'local' } })).text,
    ];
    for (const text of texts) for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(texts.join('')).toContain('<redacted:known_secret:');
    await client.post(`/v1/sessions/${other.id}/close`);
  });

  it('argument of a tool has to fit its schema when the call is made, and not before', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    const call = (value: object) =>
      client.call<{ id: string; error: { param: string } }>('POST', `/v1/sessions/${id}/tasks`, {
        body: {
          input: { parts: [{ type: 'json', value, visibility: 'public' }], role: 'user' },
          metadata: { route: 'skill:deploy__deploy' },
        },
      });
    expect(await call({ token: 'x' })).toMatchObject({ status: 400 });
    const early = await call({ to: 'staging' });
    const failed = await client.until(early.body.id, 'FAILED');
    expect(failed.failure?.message).toContain('session input TOKEN, which this session has not');
    await put(id, 'TOKEN', 'a canary without a digit');
    const misfit = await client.until((await call({ to: 'staging' })).body.id, 'FAILED');
    expect(misfit.failure?.message).toContain('token');
    expect(JSON.stringify(misfit)).not.toContain('canary');
    await put(id, 'TOKEN', `${TOKEN} 1`, {}, true);
    await client.until((await call({ to: 'staging' })).body.id, 'COMPLETED');
    // The own one of a call wins.
    await client.until((await call({ to: 'staging', token: 'mine 2' })).body.id, 'COMPLETED');
    expect(server.calls.slice(-2).map(({ params }) => params.arguments['token'])).toEqual([
      `${TOKEN} 1`,
      'mine 2',
    ]);
  });

  it('come in calls of 2 MiB at most, and a value is in no refusal', async () => {
    const { id } = await gateway.client.session();
    const large = {
      sourceId: 'host',
      revision: 1,
      inputs: [],
      redactions: Array(40).fill('x'.repeat(60_000)),
    };
    expect(await inputs(id, { kind: 'sync', snapshot: large })).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', details: { max_bytes: 2_097_152 } } },
    });
    for (const body of [
      { kind: TOKEN },
      { kind: 'put', spec: { name: TOKEN }, value: TOKEN },
      { kind: 'put', spec: { name: 'A', kind: TOKEN, usage: { kind: TOKEN } }, value: [TOKEN] },
      { kind: 'sync', snapshot: { sourceId: TOKEN, revision: TOKEN, inputs: [{ value: TOKEN }] } },
    ]) {
      const refused = await inputs(id, body);
      expect([refused.status, refused.text.includes(TOKEN)]).toEqual([400, false]);
    }
    expect(gateway.logText()).not.toContain('xxxxxxxx');
  });

  it('are nowhere on the disk, and gone after a restart', async () => {
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    await gateway.close();
    const store = join(data, 'store');
    const files = filesUnder(data).filter((path) => !path.startsWith(store));
    const texts = [...files.map((path) => readFileSync(path, 'latin1')), ...(await rowsOf(store))];
    expect(texts.some((text) => text.includes('redacted:known_secret'))).toBe(true);
    // The other session said the header in its own words.
    for (const text of texts)
      for (const secret of [TOKEN, OLD, HIDDEN]) expect(text.includes(secret)).toBe(false);
    gateway = await startTestGateway({ data, config });
    expect((await inputs(id, { kind: 'list' })).body).toMatchObject({ inputs: [] });
  });

  it('are described, replaced on demand, removed, and end with the session', async () => {
    const { id } = await gateway.client.session();
    const spec = { kind: 'variable' };
    expect((await put(id, 'TARGET', 'staging', spec)).body).toMatchObject({
      input: { name: 'TARGET', value: 'staging' },
      delivery: {
        taken_by: [{ name: 'TARGET', routes: [] }],
        message: expect.stringContaining('no route takes'),
      },
    });
    expect((await put(id, 'TARGET', 'staging', spec)).status).toBe(400);
    const listed = await inputs(id, { kind: 'list' });
    expect(listed.body).toMatchObject({ inputs: [{ name: 'TARGET', value: 'staging' }] });
    expect((await inputs(id, { kind: 'remove', name: 'TARGET' })).body).toMatchObject({ removed: true });
    expect((await inputs(id, { kind: 'remove', name: 'TARGET' })).body).toMatchObject({ removed: false });
    await gateway.client.post(`/v1/sessions/${id}/close`);
    expect((await inputs(id, { kind: 'list' })).status).toBe(409);
  });

  it('snapshots of a source come in the order of their revisions, whole or not at all', async () => {
    const { id } = await gateway.client.session();
    const sync = (revision: number, names: string[], value = 'a value of it') =>
      inputs(id, {
        kind: 'sync',
        snapshot: { sourceId: 'host', revision, inputs: names.map((name) => ({ spec: { name }, value })) },
      });
    const names = async () =>
      ((await inputs(id, { kind: 'list' })).body as unknown as { inputs: { name: string }[] }).inputs.map(
        ({ name }) => name,
      );
    expect((await sync(2, ['A', 'B'])).body).toMatchObject({ applied: true });
    expect((await sync(2, ['A', 'B'])).body).toMatchObject({ applied: false });
    // An equal revision is the one that is there, whatever it says.
    expect(await sync(2, ['C'])).toMatchObject({
      status: 200,
      body: { applied: false, inputs: [{ name: 'A' }, { name: 'B' }] },
    });
    expect(await sync(1, ['C'])).toMatchObject({
      status: 400,
      body: { error: { param: 'snapshot.revision' } },
    });
    await put(id, 'MINE', 'it is my own');
    expect((await sync(3, ['C', 'MINE'])).status).toBe(400);
    expect(await names()).toEqual(['A', 'B', 'MINE']);
    expect((await sync(3, ['C'])).body).toMatchObject({ applied: true });
    expect(await names()).toEqual(['MINE', 'C']);
  });

  it.each<[string, object, string]>([
    ['no kind', {}, 'kind'],
    ['an unknown kind', { kind: 'steal' }, 'kind'],
    ['a bad name', { kind: 'put', spec: { name: '1x' }, value: 'long enough' }, 'spec.name'],
    ['a short secret', { kind: 'put', spec: { name: 'A' }, value: 'short' }, 'value'],
    ['a NUL', { kind: 'put', spec: { name: 'A' }, value: 'long\u0000enough' }, 'value'],
    ['a large value', { kind: 'put', spec: { name: 'A' }, value: 'x '.repeat(32_769) }, 'value'],
    [
      'a time that has passed',
      { kind: 'put', spec: { name: 'A', lifetime: { kind: 'until', unix_ms: 1 } }, value: 'long enough' },
      'spec.lifetime.unix_ms',
    ],
    [
      'a website with a path',
      {
        kind: 'put',
        spec: { name: 'A', usage: { kind: 'websites', origins: ['https://a.test/x'] } },
        value: 'long enough',
      },
      'spec.usage.origins[0]',
    ],
    [
      'a variable for websites',
      {
        kind: 'put',
        spec: { name: 'A', kind: 'variable', usage: { kind: 'websites', origins: ['https://a.test'] } },
        value: 'long enough',
      },
      'spec.usage',
    ],
    ['a member more', { kind: 'list', of: 1 }, 'of'],
  ])('%s is refused', async (_, body, param) => {
    const { id } = await gateway.client.session();
    expect(await inputs(id, body)).toMatchObject({ status: 400, body: { error: { param } } });
    expect((await inputs(id, { kind: 'list' })).body).toMatchObject({ inputs: [] });
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

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}
