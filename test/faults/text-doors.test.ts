import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '#auth/api-keys.ts';
import { sha256Hex } from '#json/canonical.ts';
import { openLevelStore } from '#store/level-store.ts';
import { TEXT_DOORS, type TextDoorName } from '../architecture/text-doors.ts';
import { statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { TestClient, userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { json, rpcError, type Script, stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { runCommand } from '../interop/command-line.ts';

const AUDIENCE = 'https://gateway.test';
const KEY = `harn_test_doors_${'k3y'.repeat(12)}`;
const CONNECTOR_SECRET = 'shop-webhook-secret-9f2c7d51';
/** The secret of a door: of a shape that is known, and no other door has it. */
const canary = (door: TextDoorName) => `ghp_${sha256Hex(door).slice(0, 36)}`;
const NAMES = Object.keys(TEXT_DOORS) as TextDoorName[];
/** Known to the gateway that imports, and to no other: its shape says nothing. */
const IMPORTED = 'plain-words-of-the-importing-gateway';

const folder = mkdtempSync(join(tmpdir(), 'harn-doors-'));
mkdirSync(join(folder, 'data'));
const issuer = new OAuth2Server();
const peers: ScriptedPeer[] = [];
const answers: string[] = [];
let gateway: TestGateway;
let client: TestClient;
let elsewhere: TestGateway;

async function agent(script: Script): Promise<string> {
  const peer = await startScriptedAgent(script);
  peers.push(peer);
  return peer.cardUrl;
}

/** Says the canary of its door on its standard error, and ends. */
const chatty = `process.stderr.write('I hold ${canary('stderr of children')} for you\\n')`;

beforeAll(async () => {
  await issuer.issuer.keys.generate('RS256');
  await issuer.start(0, '127.0.0.1');
  writeFileSync(join(folder, 'connector'), CONNECTOR_SECRET);
  const says = stream(taskFrame('WORKING'), statusFrame('COMPLETED', `I used ${canary('frames')}.`));
  const described = {
    ...cards.v1('http://127.0.0.1:9'),
    description: `I hold ${canary('cards and tool descriptions')}.`,
  };
  const a2a = [
    { id: 'says', card: await agent({ SendStreamingMessage: says }) },
    {
      id: 'fails',
      card: await agent({ SendStreamingMessage: rpcError(-32603, canary('errors of others')) }),
    },
    { id: 'shows', card: await agent({ 'GET /.well-known/agent-card.json': json(described) }) },
  ];
  const auth = { type: 'hmac-sha256', secret: { file: join(folder, 'connector') } };
  gateway = await startTestGateway({
    data: join(folder, 'data'),
    env: { KNOWN: IMPORTED },
    config: {
      auth: {
        api_keys: [
          {
            id: 'doors',
            hash: apiKeyHash(KEY),
            actor: 'actor_doors',
            workspaces: ['workspace_default', 'workspace_named'],
          },
        ],
        oauth: [{ issuer: issuer.issuer.url, audience: AUDIENCE, typ: 'JWT', claims: { actor: 'client' } }],
      },
      connectors: [{ id: 'orders', provider: 'shop', auth }],
      upstreams: {
        a2a: a2a.map((row) => ({ ...row, auth: { type: 'bearer', value: { env: 'KNOWN' } } })),
        acp: [{ id: 'chatty', command: [process.execPath, '-e', chatty] }],
      },
      workspaces: [
        { id: 'workspace_default' },
        { id: 'workspace_named', name: `Of ${canary('configuration')}` },
      ],
    },
  });
  client = new TestClient(gateway.url, KEY);
  client.onAnswer = (_method, _path, { text }) => void answers.push(text);
  elsewhere = await startTestGateway();
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  await elsewhere?.close();
  await Promise.all(peers.map((peer) => peer.close()));
  await issuer.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = async (client: TestClient, text: string, route?: string) => {
  const { id } = await client.submit(text, undefined, route === undefined ? undefined : { route });
  return client.until(id, 'COMPLETED', 'FAILED');
};

/** Puts its canary through a door; what comes back is read by the test with everything else. */
const PLANT: Readonly<Record<TextDoorName, (client: TestClient, secret: string) => Promise<unknown>>> = {
  'caller bodies': async (client, secret) => {
    const { id } = await client.session({ note: `x ${secret}`, [`of ${secret}`]: 1 });
    await client.call('PATCH', `/v1/sessions/${id}`, { body: { summary: secret } });
    return run(client, `hello ${secret}`, 'a2a:says');
  },
  'file contents': async (_client, secret) => {
    // Not one whose answers are looked at: the file has what was sent, under the name that was sent.
    const person = new TestClient(gateway.url, KEY);
    const path = `/v1/workspaces/workspace_default/files?path=${secret}.txt`;
    const body = { content: `It is ${secret}.`, metadata: { of: secret } };
    const written = await person.call('PUT', path, { body });
    expect([written.status, written.text.includes(secret)]).toEqual([200, false]);
    expect((await person.call('GET', path)).text).toContain(`It is ${secret}.`);
  },
  'token claims': async (_client, secret) => {
    issuer.service.once('beforeTokenSigning', (token) => {
      Object.assign(token.payload, { aud: AUDIENCE, scope: 'sessions:write', client: secret });
    });
    const answer = await fetch(`${issuer.issuer.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('robot:secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'sessions:write' }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    const robot = new TestClient(gateway.url, access_token);
    const made = await robot.call('POST', '/v1/sessions', { body: { workspace_id: 'workspace_default' } });
    expect(made.status).toBe(201);
  },
  'live clients': async (client, secret) => {
    const { id } = await client.session();
    await client.post(`/v1/sessions/${id}/attach`, { client_id: 'first' });
    const editor = await AcpClient.overSocket(gateway.url, KEY);
    const name = `of ${secret}`;
    await editor.agent.request('initialize', { protocolVersion: 1, clientInfo: { name, version: '1' } });
    await editor.agent.request('session/load', { sessionId: id, cwd: '/work', mcpServers: [] });
    const { data } = await client.get<{ data: { metadata: { name?: string } }[] }>(
      `/v1/sessions/${id}/live-clients`,
    );
    expect(data.map(({ metadata }) => metadata.name?.slice(0, 3))).toContain('of ');
    editor.close();
  },
  'reasons of operators': async ({ key }, secret) => {
    const [dir, data] = [join(folder, 'backups'), join(folder, 'restored')];
    const made = await runCommand(['backup', dir, '--url', gateway.url, '--key', key]);
    expect(made).toMatchObject({ code: 0, err: '' });
    const accepted = ['--accept-truncation', `ticket of ${secret}`];
    expect(await runCommand(['restore', dir, '--data', data, ...accepted])).toMatchObject({ code: 0 });
    const checked = await runCommand(['log', 'check', '--data', data]);
    expect(checked.out).toContain('because: ticket of <redacted:github_token:40>');
  },
  deliveries: async (client, secret) => {
    const body = JSON.stringify({ note: `order of ${secret}` });
    const seconds = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', CONNECTOR_SECRET).update(`${seconds}.${body}`).digest('hex');
    const headers = {
      authorization: undefined,
      'Harn-Agents-Protocol-Version': undefined,
      'content-type': 'application/json',
      'X-Harn-Signature': `t=${seconds},v1=${v1}`,
    };
    const answer = await client.call('POST', '/v1/connectors/orders/deliveries', { body, headers });
    expect(answer.status).toBeLessThan(300);
  },
  frames: (client) => run(client, 'go', 'a2a:says'),
  'cards and tool descriptions': (client) => client.get('/v1/agents'),
  'stderr of children': (client) => run(client, 'go', 'acp:chatty'),
  overrides: async (client, secret) => {
    const { id } = await run(client, 'go', 'a2a:says');
    const value = { kind: 'fault', code: 'upstream_unavailable', message: `Down: ${secret}` };
    const override = { 'a2a:says:2': { kind: 'llm_provider_response', value, visibility: 'public' } };
    const replay = await client.post<{ id: string }>(`/v1/tasks/${id}/replay`, {
      mode: 'with_overrides',
      override,
      reason: secret,
    });
    await client.until(replay.id, 'COMPLETED');
  },
  imports: async (client) => {
    const { id } = await elsewhere.client.session({ note: IMPORTED });
    await elsewhere.client.post(`/v1/sessions/${id}/messages`, { message: userText(`It is ${IMPORTED}.`) });
    const exported = await elsewhere.client.call('POST', '/v1/bundles/export', { body: { session_id: id } });
    expect(exported.text).toContain(IMPORTED);
    const imported = await client.call('POST', '/v1/bundles/import', { body: Buffer.from(exported.text) });
    expect(imported.status).toBe(200);
  },
  'errors of others': (client) => run(client, 'go', 'a2a:fails'),
  configuration: (client) => client.get('/v1/workspaces/workspace_named'),
  extracts: async (client, secret) => {
    const { id } = await client.session();
    await client.post(`/v1/sessions/${id}/messages`, { message: userText(`one ${secret}`) });
    return client.post(`/v1/sessions/${id}/compact`, { keep_last: 0 });
  },
  bundles: async (client, secret) => {
    const { id } = await client.session({ note: secret });
    return client.call('POST', '/v1/bundles/export', { body: { session_id: id } });
  },
};

/** Every row as LevelDB holds it, before compression. */
async function rowsOf(path: string): Promise<string[]> {
  const store = await openLevelStore({ path });
  const rows: string[] = [];
  for await (const page of store.entries({ gte: '', lt: '~' }))
    for (const [key, value] of page) rows.push(`${key} ${value.toString('latin1')}`);
  await store.close();
  return rows;
}

describe('the doors of the log', () => {
  it.each(NAMES)(
    'let no secret in: %s',
    async (door) => {
      await PLANT[door](client, canary(door));
    },
    30_000,
  );

  it('let none in at all: nothing is in an answer, a log line, a row of the store or a file of the gateway', async () => {
    await client.events('/v1/events');
    answers.push(gateway.logText());
    await gateway.close();
    const rows = await rowsOf(join(folder, 'data/store'));
    // The bytes of a Workspace are its own, and stay as they were sent; the configuration is the operator's.
    const files = readdirSync(join(folder, 'data'), {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    })
      .filter(({ name }) => name !== 'gateway.test.yaml')
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('workspaces'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const kept = [...answers, ...rows, ...files].join('\n');
    const secrets = [...NAMES.map((name) => [name, canary(name)] as const), ['imports', IMPORTED] as const];
    expect(secrets.filter(([, secret]) => kept.includes(secret)).map(([name]) => name)).toEqual([]);
    // They came in: what stands for them is there, many times.
    expect(kept.split('<redacted:github_token:40>').length).toBeGreaterThan(NAMES.length);
    expect(kept).toContain(`<redacted:known_secret:${IMPORTED.length}>`);
  }, 30_000);
});
