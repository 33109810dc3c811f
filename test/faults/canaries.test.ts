import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { agentMessage, statusFrame, taskFrame } from '../harness/a2a-words.ts';
import type { TestClient } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { rpcError, stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { SHAPE_SAMPLES } from '../unit/redaction/samples.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace, type GatewayProcess, KEY } from './gateway-process.ts';
import { DOORS } from './secret-doors.ts';

/** The credential that the gateway shows to the agents; it comes from a file. */
const UPSTREAM_SECRET = `upstream-${'s3cr3t'.repeat(5)}`;
const WRONG_KEY = 'harn_live_nobody_Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2';
/** Every format of secrets that is known. */
const PATTERNS = SHAPE_SAMPLES.map(({ secret }) => secret);
const ALL = [KEY, UPSTREAM_SECRET, ...PATTERNS];
const TOLD = ALL.map((secret) => `it is ${secret} now`).join('\n');

/** How a secret may stand in what is searched: as it is, in JSON, and for known ones encoded. */
const NEEDLES = [
  ...ALL.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]),
  ...[KEY, UPSTREAM_SECRET].flatMap((secret) => [
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]),
].map((needle) => Buffer.from(needle));

const found = (bytes: Buffer): string[] =>
  NEEDLES.filter((needle) => bytes.includes(needle)).map((needle) => needle.toString().slice(0, 24));

const answers: string[] = [];
let secrets: string;
let place: GatewayPlace;
let gateway: GatewayProcess;
let client: TestClient;
const peers: ScriptedPeer[] = [];

beforeAll(async () => {
  const talkative = await startScriptedAgent({
    SendStreamingMessage: stream(
      taskFrame('WORKING', { metadata: { note: TOLD } }),
      { result: { message: agentMessage(TOLD) } },
      statusFrame('INPUT_REQUIRED', TOLD),
    ),
  });
  const failing = await startScriptedAgent({ SendStreamingMessage: rpcError(-32603, TOLD, { why: TOLD }) });
  peers.push(talkative, failing);
  secrets = mkdtempSync(join(tmpdir(), 'harn-secrets-'));
  const secretFile = join(secrets, 'upstream');
  writeFileSync(secretFile, UPSTREAM_SECRET);
  place = new GatewayPlace({
    telemetry: { log_level: 'debug' },
    upstreams: { a2a: peers.map(rowOf(secretFile)) },
  });
  gateway = place.launch();
  await gateway.ready;
  client = gateway.client;
  client.onAnswer = (_method, _path, { text, headers }) =>
    void answers.push(text, JSON.stringify(Object.fromEntries(headers)));
});
afterAll(async () => {
  killChildren();
  await Promise.all(peers.map((peer) => peer.close()));
  place.remove();
  rmSync(secrets, { recursive: true });
});

const rowOf = (file: string) => (peer: ScriptedPeer, at: number) => ({
  id: `agent-${at}`,
  card: peer.cardUrl,
  auth: { type: 'bearer', value: { file } },
});

const words = (text: string) => ({ role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] });
/** Every kind of part that carries text of the caller. */
const talk = {
  role: 'user',
  metadata: { note: TOLD, list: ALL },
  parts: [
    { type: 'text', text: TOLD, visibility: 'public', metadata: { note: TOLD } },
    { type: 'json', value: { note: TOLD, [`x ${KEY}`]: TOLD }, visibility: 'public' },
    { type: 'tool_call', tool_call_id: 'c', name: 'x', arguments: { note: TOLD }, visibility: 'public' },
    { type: 'tool_result', tool_call_id: 'c', status: 'ok', output: TOLD, visibility: 'public' },
    {
      type: 'file_ref',
      uri: `https://u:${KEY}@example.com/?token=${KEY}`,
      mime_type: 'a/b',
      visibility: 'public',
    },
  ],
};

/** Secrets in every member of every command; whatever the answer is, it must not hold one. */
async function sayEverywhere(): Promise<string[]> {
  const session = await client.session();
  const at = `/v1/sessions/${session.id}`;
  await client.call('POST', '/v1/sessions', {
    body: { workspace_id: 'workspace_default', summary: TOLD, metadata: { TOLD } },
  });
  await client.call('PATCH', at, { body: { summary: TOLD, metadata: { note: TOLD, list: ALL } } });
  await client.call('POST', '/v1/workspaces', { body: { name: TOLD, metadata: { note: TOLD } } });
  await client.call('POST', `${at}/messages`, { body: { message: talk } });
  await client.call('POST', '/v1/artifacts', {
    body: {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      uri: `https://x/?key=${KEY}`,
      metadata: { TOLD },
    },
  });
  const tasks: string[] = [];
  for (const route of ['a2a:agent-0', 'a2a:agent-1', `a2a:${KEY}`])
    for (const input of [talk, { note: TOLD, password: 'hunter2hunter2' }, words(TOLD)]) {
      const own = await client.session();
      const { body, status } = await client.call<{ id: string }>('POST', `/v1/sessions/${own.id}/tasks`, {
        body: { input, metadata: { route, note: TOLD } },
      });
      if (status === 202) tasks.push(body.id);
    }
  for (const id of tasks) {
    const task = await client.until(id, 'INPUT_REQUIRED', 'FAILED', 'COMPLETED');
    if (task.status !== 'INPUT_REQUIRED') continue;
    await client.call('POST', `/v1/tasks/${id}/messages`, { body: { kind: 'input', message: talk } });
    await client.call('POST', `/v1/tasks/${id}/cancel`, { body: { reason: TOLD } });
  }
  return tasks;
}

/** Secrets where they do not belong: in paths, queries and headers. */
async function misplaceEverywhere(): Promise<void> {
  for (const secret of ALL) {
    const inUrl = encodeURIComponent(secret);
    const inHeader = secret.split(/[\r\n]/)[0] ?? '';
    await client.call('GET', `/v1/tasks/${inUrl}`);
    await client.call('GET', `/${inUrl}`);
    await client.call('GET', `/v1/tasks?cursor=${inUrl}&limit=${inUrl}&token=${inUrl}`);
    await client.call('GET', `/v1/events?after_event_id=${inUrl}&session_id=${inUrl}`);
    for (const name of [
      'idempotency-key',
      'last-event-id',
      'traceparent',
      'user-agent',
      'x-anything',
      'cookie',
      'origin',
      'content-type',
      'accept',
      'harn-agents-protocol-version',
      'x-forwarded-for',
    ])
      await client.call('POST', '/v1/sessions', {
        body: `{"${name}": ${JSON.stringify(secret)}`,
        headers: { [name]: inHeader },
      });
  }
  for (const authorization of [`Bearer ${WRONG_KEY}`, `Basic ${WRONG_KEY}`, WRONG_KEY, `Bearer ${KEY}x`])
    await client.call('GET', '/v1/tasks', { headers: { authorization } });
}

const LISTS = [
  'sessions',
  'tasks',
  'outcomes',
  'artifacts',
  'workspaces',
  'permission-requests',
  'trust-records',
  'memories',
  'personas',
  'vaults',
  'dead-letters',
  'admin/api-keys',
];

async function readEverything(tasks: readonly string[]): Promise<void> {
  await client.events('/v1/events');
  for (const list of LISTS) await client.call('GET', `/v1/${list}?limit=200`);
  for (const id of tasks) {
    await client.call('GET', `/v1/tasks/${id}`);
    await client.call('GET', `/v1/tasks/${id}/receipts`);
  }
  for (const path of [
    '/metrics',
    '/v1/agent-card',
    '/.well-known/agent-card.json',
    '/openapi.json',
    '/asyncapi.json',
    '/v1/capabilities',
    '/ready',
  ])
    await client.call('GET', path);
  const events = await client.events('/v1/events');
  const live = await EventStreamClient.open(client, '/v1/events/stream', '0'.repeat(20));
  await live.until('all events', ({ blocks }) => blocks.some(({ id }) => id === events.at(-1)?.id));
  await live.close();
  answers.push(live.text);
}

/** Every file as it is on the disk. */
function filesUnder(folder: string): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path)]);
}

/** Every record as LevelDB holds it, before compression. */
async function recordsOf(path: string): Promise<[string, Buffer][]> {
  const store = await openLevelStore({ path });
  const records: [string, Buffer][] = [];
  for await (const page of store.entries({ gte: '', lt: '~' }))
    for (const [key, value] of page) records.push([key, Buffer.concat([Buffer.from(key), value])]);
  await store.close();
  return records;
}

describe('secrets in whatever comes in (R-01, R-02, R-03)', () => {
  it('come in at least 40 formats and through at least 15 doors besides Sessions, Messages and Tasks', () => {
    expect(new Set(ALL).size).toBeGreaterThanOrEqual(40);
    expect(Object.keys(DOORS).length).toBeGreaterThanOrEqual(15);
  });

  it('are never in an answer, a stream, a log line, or the data directory', async () => {
    const tasks = await sayEverywhere();
    expect(tasks.length).toBeGreaterThan(3);
    expect(peers.every(({ requests }) => requests.length > 1)).toBe(true);
    for (const [, door] of Object.entries(DOORS)) await door(client, { told: TOLD, all: ALL, key: KEY });
    await misplaceEverywhere();
    await readEverything(tasks);
    const { code, stderr, stdout } = await gateway.stop();
    expect(code).toBe(0);
    expect(answers.length).toBeGreaterThan(400);
    expect(
      answers
        .map((answer) => [answer.slice(0, 300), found(Buffer.from(answer))])
        .filter(([, hits]) => hits?.length),
    ).toEqual([]);
    const lines = `${stdout}${stderr}`.split('\n');
    expect(lines.filter((line) => found(Buffer.from(line)).length > 0)).toEqual([]);
    expect(lines.filter((line) => line.includes(WRONG_KEY))).toEqual([]);
    const stored = [...(await recordsOf(join(place.data, 'store'))), ...filesUnder(place.data)];
    expect(stored.length).toBeGreaterThan(200);
    // The texts around the secrets are there, so this looks at the right bytes.
    expect(stored.filter(([, bytes]) => bytes.includes('it is <redacted:')).length).toBeGreaterThan(20);
    expect(answers.filter((answer) => answer.includes('it is <redacted:')).length).toBeGreaterThan(20);
    expect(found(Buffer.from(`x${KEY}x`))).not.toEqual([]);
    expect(stored.map(([where, bytes]) => [where, found(bytes)]).filter(([, hits]) => hits?.length)).toEqual(
      [],
    );
  }, 240_000);

  it('reach the agent as the caller sent them', async () => {
    const sent = peers[0]?.requests.map(({ body }) => body).join('\n') ?? '';
    for (const secret of PATTERNS) expect(sent).toContain(JSON.stringify(secret).slice(1, -1));
    expect(peers[0]?.requests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_SECRET}`);
  });
});
