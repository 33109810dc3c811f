import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyCard } from '#cards/verify-card.ts';
import { systemClock, systemRandom } from '#compose/compose.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { stageOf } from '../../conformance/stage.ts';
import { EventStreamClient } from '../../harness/event-stream.ts';
import { WsTestClient } from '../../harness/ws-client.ts';

const WELL_KNOWN = '/.well-known/agent-card.json';
const VERSION = 'Harn-Agents-Protocol-Version';
const NOBODY = { authorization: undefined, [VERSION]: undefined };

interface Card {
  object: string;
  name: string;
  skills: { id: string; metadata: object }[];
  interfaces: { transport: string; url: string }[];
  harn_interfaces: object[];
  a2a_card: Record<string, unknown> & { skills: { tags: string[] }[]; capabilities: { streaming: boolean } };
  a2a_agent_card: object;
  signature: { algorithm: string; key_id: string; value: string };
}

/** What the narrative lists for level Core: reads of every resource, and the writes of Sessions, Messages and Tasks. */
const CORE_ROUTES = [
  'GET /v1/agent-card',
  'GET /v1/sessions',
  'POST /v1/sessions',
  'GET /v1/sessions/{session_id}',
  'POST /v1/sessions/{session_id}/close',
  'GET /v1/sessions/{session_id}/messages',
  'POST /v1/sessions/{session_id}/messages',
  'GET /v1/messages/{message_id}',
  'POST /v1/tasks',
  'POST /v1/sessions/{session_id}/tasks',
  'GET /v1/tasks',
  'GET /v1/tasks/{task_id}',
  'POST /v1/tasks/{task_id}/cancel',
  'POST /v1/tasks/{task_id}/messages',
  'GET /v1/tasks/{task_id}/events',
  'GET /v1/sessions/{session_id}/events',
  'GET /v1/events',
  'GET /v1/events/{event_id}',
  'GET /v1/artifacts',
  'POST /v1/artifacts',
  'GET /v1/artifacts/{artifact_id}',
  'GET /v1/artifacts/{artifact_id}/content',
  'GET /v1/outcomes',
  'GET /v1/outcomes/{outcome_id}',
  'GET /v1/tasks/{task_id}/stream',
  'GET /v1/sessions/{session_id}/events/stream',
];

describe('discovery', () => {
  const stage = stageOf();
  const card = async (headers: Record<string, string | undefined> = NOBODY) =>
    stage.client.call<Card>('GET', '/v1/agent-card', { headers });

  /** Proves of each transport that it is where the card says; what the card does not name must not be here. */
  const ANSWERS: Record<string, (path: string) => Promise<void>> = {
    rest: async (path) => {
      expect((await stage.client.call('GET', `${path}/sessions`)).status).toBe(200);
    },
    sse: async (path) => {
      const stream = await EventStreamClient.open(stage.client, path);
      expect(stream.headers.get('content-type')).toBe('text/event-stream');
      await stream.close();
    },
    websocket: async (path) => {
      const socket = await WsTestClient.open(stage.client.url, path, { key: stage.client.key });
      socket.socket.close();
      await socket.closed;
    },
    a2a: async (path) => {
      const headers = { 'A2A-Version': '1.0' };
      const request = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
      const answer = await stage.client.call('POST', path, { headers, body: request });
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { nextPageToken: '' } });
    },
  };

  it('[CORE-CARD-01] [C1] the card describes the agent and nests its A2A card twice', async () => {
    const { body, headers } = await card();
    expect(body).toMatchObject({ object: 'harn_agent_card', protocol_version: 'agents-protocol-2026-04-25' });
    expect(body.name).not.toBe('');
    expect(body.skills.map(({ id }) => id)).toContain('echo');
    expect(body.a2a_agent_card).toEqual(body.a2a_card);
    expect(body.harn_interfaces).toEqual(body.interfaces);
    expect(headers.get('vary')).toContain(VERSION);
  });

  it('[C1] a client that sends the version header reads the older object word, and nothing else differs but the signature', async () => {
    const older = await card({ ...NOBODY, [VERSION]: 'agents-protocol-2026-04-25' });
    expect(older.body.object).toBe('agent_card');
    const plain = (body: Card) => ({ ...body, object: '', signature: '' });
    expect(plain(older.body)).toEqual(plain((await card()).body));
  });

  it('[CORE-CARD-02] [C23] the card and the A2A card in it state algorithm and key id of their signatures', async () => {
    const { body } = await card();
    const { keys } = openKeyRegistry({
      dir: join(stage.gateway.data, 'keys'),
      clock: systemClock,
      random: systemRandom,
    }).publicJwks();
    const kids = keys.map(({ kid }) => kid);
    expect(body.signature).toMatchObject({ algorithm: 'ed25519', value: expect.stringMatching(/^base64:/) });
    expect(kids).toContain(body.signature.key_id);
    const findKeys = async () => ({ from: 'pinned' as const, keys: keys as unknown as JsonValue[] });
    for (const nested of [
      body.a2a_card,
      (await stage.client.call('GET', WELL_KNOWN, { headers: NOBODY })).body,
    ]) {
      const verdict = await verifyCard(nested as JsonObject, findKeys, Date.now());
      expect(verdict).toMatchObject({ status: 'verified', covers: 'card', algorithm: 'EdDSA' });
    }
  });

  it('[C22] [C23] the well-known card is that of the default agent, and each agent has its own', async () => {
    const known = await stage.client.call<Card['a2a_card']>('GET', WELL_KNOWN, { headers: NOBODY });
    expect(known.status).toBe(200);
    expect(known.body).toEqual((await card()).body.a2a_card);
    const own = await stage.client.call('GET', `/a2a/sample${WELL_KNOWN}`, { headers: NOBODY });
    expect(own.body).toMatchObject({ name: known.body['name'], skills: known.body.skills });
    const nobody = await stage.client.call('GET', `/a2a/nobody${WELL_KNOWN}`, { headers: NOBODY });
    expect(nobody.status).toBe(404);
  });

  it('[C3] one A2A card has the members of 1.0 and of 0.3, and every skill has tags', async () => {
    const { a2a_card } = (await card()).body;
    const members = [
      'supportedInterfaces',
      'securityRequirements',
      'url',
      'preferredTransport',
      'protocolVersion',
    ];
    for (const member of [...members, 'additionalInterfaces', 'security'])
      expect(a2a_card).toHaveProperty(member);
    expect(a2a_card.skills.length).toBeGreaterThan(3);
    for (const { tags } of a2a_card.skills) expect(tags.length).toBeGreaterThan(0);
  });

  it('[CORE-TRP-01] every advertised transport answers where the card says', async () => {
    const { interfaces, a2a_card } = (await card()).body;
    expect(interfaces.map(({ transport }) => transport)).toEqual(Object.keys(ANSWERS));
    for (const { transport, url } of interfaces) await ANSWERS[transport]?.(new URL(url).pathname);
    expect(a2a_card.capabilities.streaming).toBe(true);
  });

  it('[CORE-TRP-02] every route of level Core exists', () => {
    const routes = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(CORE_ROUTES.filter((route) => !routes.includes(route as (typeof routes)[number]))).toEqual([]);
  });

  it('[CORE-TRP-01] protocol discovery promises no transport that is not there', async () => {
    const { body } = await stage.client.call('GET', '/v1', { headers: NOBODY });
    expect(body).toMatchObject({
      supported_versions: ['agents-protocol-2026-04-25', 'agents-protocol-2026-10-11'],
      capabilities: { rest: true, sse: true, websocket: true, receipts: true, replay: true },
    });
  });
});
