import { describe, expect, it } from 'vitest';
import { bundleTools } from '#compose/bundles.ts';
import type { JsonObject } from '#protocol/json.ts';
import { Redactor } from '#redaction/redactor.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { restoreSession } from '#resources/bundle/restore-session.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { hashOf } from '#resources/replay/record/compare.ts';
import type { Task } from '#resources/task/schema.ts';
import { readBefore } from '#runner/frame-recorder.ts';
import { stageOf } from '../../conformance/stage.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../harness/runs.ts';

type Mode = 'local' | 'sanitized' | 'replay_only';
const MODES: readonly Mode[] = ['local', 'sanitized', 'replay_only'];

/** The bundle of a Session or a Task, as text. */
async function exported(
  client: TestClient,
  what: object,
  mode: Mode,
  include_attachments = false,
): Promise<string> {
  const answer = await client.call('POST', '/v1/bundles/export', {
    body: { ...what, mode, include_attachments },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

function imported(client: TestClient, bundle: string | Buffer, query = '') {
  return client.call('POST', `/v1/bundles/import${query}`, { body: Buffer.from(bundle) });
}

async function verdictOf(client: TestClient, task: Task): Promise<unknown> {
  const replay = await replayOf(client, task.id);
  const events = await eventsOf(client, replay.id);
  return events.find(({ event }) => event === 'replay.completed')?.payload['verdict'] ?? events;
}

/** A run of more events than one transaction of an import takes. */
const LONG = (client: TestClient, sessionId?: string) =>
  client.submit('stream 300', sessionId).then((task) => client.until(task.id, 'COMPLETED'));
const played = { ...SAMPLE_RUNS, long: LONG } as Record<string, (typeof SAMPLE_RUNS)[string]>;
const run = (name: string, client: TestClient, sessionId?: string) =>
  (played[name] as (typeof SAMPLE_RUNS)[string])(client, sessionId);

/** What two bundles of the same run have in common, whoever wrote them. */
function portable(text: string): JsonObject {
  const { bundle_id, created_at, producer, metadata, ...rest } = JSON.parse(text) as JsonObject;
  return rest;
}

describe('a Session handed from one gateway to another', () => {
  // The same issuer signs in both; a connection of a client lives while the other gateway works.
  const config = { receipts: { issuer: 'harness_shared' }, limits: { keep_alive_timeout_ms: 60_000 } };
  const a = stageOf({ config });
  const b = stageOf({ config });

  it.each(Object.entries(SAMPLE_RUNS))(
    '%s: from a local bundle its task replays byte_equal',
    async (_, play) => {
      const task = await play(a.client);
      const bundle = await exported(a.client, { session_id: task.session_id }, 'local');
      const { status, body, text } = await imported(b.client, bundle);
      expect(status, text).toBe(200);
      const tasks = [{ id: task.id, status: task.status }];
      expect(body).toMatchObject({ created: true, session_id: task.session_id, tasks });
      expect(await verdictOf(b.client, task)).toMatchObject({ status: 'byte_equal' });
    },
  );

  it('the same replay has the same receipt, byte for byte, here and there', async () => {
    const task = await run('stream', a.client);
    await imported(b.client, await exported(a.client, { session_id: task.session_id }, 'local'));
    const receipts = await Promise.all(
      [a.client, b.client].map(async (client) => {
        const replay = await replayOf(client, task.id);
        const headers = { accept: 'application/vnd.harn.receipt+json' };
        const { text } = await client.call('GET', `/v1/receipts/${replay.receipt_id}`, { headers });
        const { signatures, ...unsigned } = JSON.parse(text) as JsonObject;
        return unsigned;
      }),
    );
    expect(receipts[1]).toEqual(receipts[0]);
  });

  it('from a sanitized bundle it is byte_equal where no redaction lies in replay material', async () => {
    const task = await run('stream', a.client);
    await imported(b.client, await exported(a.client, { session_id: task.session_id }, 'sanitized'));
    expect(await verdictOf(b.client, task)).toMatchObject({ status: 'byte_equal' });
  });

  it('from a sanitized bundle it is refused, naming the redaction, where one lies in replay material', async () => {
    const session = await a.client.session();
    const input = { deploy: { primary: '/srv/shop', region: 'north' } };
    const task = await a.client.post<Task>('/v1/tasks', { session_id: session.id, input });
    await a.client.until(task.id, 'COMPLETED', 'FAILED');
    const bundle = await exported(a.client, { session_id: session.id }, 'sanitized');
    expect(bundle).not.toContain('/srv/shop');
    expect((await imported(b.client, bundle)).status).toBe(200);
    const refused = await b.client.call('POST', `/v1/tasks/${task.id}/replay`);
    const [first] = (await eventsOf(a.client, task.id)).filter(({ event }) => event === 'task.submitted');
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { details: { missing: { kind: 'event', id: first?.id } } } },
    });
  });

  it('from a replay-only bundle chain and hashes verify, and an exact replay is refused naming what is withheld first', async () => {
    const task = await run('ask', a.client);
    const bundle = await exported(a.client, { session_id: task.session_id }, 'replay_only');
    const { status, text } = await imported(b.client, bundle);
    expect(status, text).toBe(200);
    const there = await b.client.get<Task>(`/v1/tasks/${task.id}`);
    expect(there).toMatchObject({ status: task.status, receipt_id: task.receipt_id });
    const verified = await b.client.post(`/v1/receipts/${task.receipt_id}/verify`);
    expect(verified).toMatchObject({ valid: true });
    const refused = await b.client.call('POST', `/v1/tasks/${task.id}/replay`);
    const [first] = (await eventsOf(a.client, task.id)).filter(({ event }) => event === 'task.submitted');
    expect(refused.body).toMatchObject({
      error: { code: 'conflict', details: { missing: { kind: 'event', id: first?.id } } },
    });
  });

  it('import, then export: the same bundle comes out', async () => {
    const task = await run('file', a.client);
    for (const mode of MODES) await replayOf(a.client, task.id, { mode: 'exact', reason: mode });
    const first = await exported(a.client, { session_id: task.session_id }, 'local', true);
    await imported(b.client, first);
    const second = await exported(b.client, { session_id: task.session_id }, 'local', true);
    expect(portable(second)).toEqual(portable(first));
  });
});

describe('a Session that several worked in', () => {
  const members = ['ann', 'ben'].map((actor) => ({ actor }));
  const submitter = { actor: 'sub', scopes: ['tasks:read', 'tasks:write', 'sessions:write'] };
  const a = stageOf({
    config: { policy: { approvals: [{ quorum: 2 }] } },
    keys: [...members, submitter],
    extraClients: [new AskingClient()],
  });
  const b = stageOf({});

  it('is imported with who was there, who voted and what was refused, and none of them is here', async () => {
    const { id } = await a.client.session();
    const at = `/v1/sessions/${id}`;
    await a.client.post(`${at}/attach`, { client_id: 'zed', mode: 'controller' });
    const task = await a.client.submit('call', id, { route: 'fake:asking' });
    await a.client.until(task.id, 'AUTH_REQUIRED');
    const requests = async (client: TestClient) =>
      (
        await client.get<{ data: { id: string; response: unknown; request: object }[] }>(
          `/v1/tasks/${task.id}/permission-requests`,
        )
      ).data;
    const [asked] = await requests(a.client);
    const answer = (actor: string) =>
      a.as(actor).call('POST', `/v1/permission-requests/${asked?.id}/respond`, { body: { approved: true } });
    expect((await answer('sub')).status).toBe(403);
    for (const actor of ['ann', 'ben']) expect((await answer(actor)).status).toBe(200);
    await a.client.until(task.id, 'COMPLETED');

    const { status, text } = await imported(b.client, await exported(a.client, { session_id: id }, 'local'));
    expect(status, text).toBe(200);
    const kinds = async (client: TestClient) =>
      (await client.events(`${at}/events`))
        .map(({ event }) => event)
        .filter((kind) => kind !== 'vendor.harn_gateway.session_imported');
    const there = await kinds(a.client);
    expect(await kinds(b.client)).toEqual(there);
    for (const kind of ['live_client_changed', 'approval_voted', 'call_refused'])
      expect(there).toContain(`vendor.harn_gateway.${kind}`);
    expect(await b.client.get(`${at}/live-clients`)).toMatchObject({ data: [] });
    const answered = (client: TestClient) =>
      requests(client).then((all) => all.map(({ response, request }) => ({ response, request })));
    expect(await answered(b.client)).toEqual(await answered(a.client));
  });

  it('is not imported with an event that happens in none', async () => {
    const task = await run('answer', a.client);
    const text = await exported(a.client, { session_id: task.session_id }, 'local');
    const bundle = JSON.parse(text);
    delete bundle.metadata.manifest;
    const row = bundle.replay.run_record.harn_gateway.events.find(
      ({ event }: { event: JsonObject }) => event['event'] === 'task.started',
    );
    row.event.event = 'vendor.harn_gateway.vault_created';
    row.sha256 = hashOf(row.event);
    const { status, body } = await imported(b.client, JSON.stringify(bundle));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('vault_created does not happen in a session');
  });
});

describe('an import', () => {
  const config = { limits: { keep_alive_timeout_ms: 60_000 } };
  const a = stageOf({ config });
  const b = stageOf({ config, keys: [{ actor: 'stranger', workspaces: ['workspace_default'] }] });

  it('of the same bundle twice changes nothing; of other content for a Session that is here is refused', async () => {
    const task = await run('stream', a.client);
    const what = { session_id: task.session_id };
    const bundle = await exported(a.client, what, 'local');
    const first = await imported(b.client, bundle);
    const before = b.gateway.log.head.eventId;
    const again = await imported(b.client, await exported(a.client, what, 'local'));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toMatchObject({ ...first.body, created: false, bundle_id: expect.any(String) });
    expect(b.gateway.log.head.eventId).toBe(before);
    const other = await imported(b.client, await exported(a.client, what, 'sanitized'));
    expect(other).toMatchObject({
      status: 409,
      body: { error: { details: { session_id: task.session_id } } },
    });
    expect(await imported(a.client, bundle)).toMatchObject({ status: 409 });
  });

  it('is a Workspace of its own: strangers see nothing of it; its events keep the ids they had', async () => {
    const task = await run('ask', a.client);
    const { body } = await imported(
      b.client,
      await exported(a.client, { session_id: task.session_id }, 'local'),
    );
    expect((await b.as('stranger').call('GET', `/v1/tasks/${task.id}`)).status).toBe(404);
    const sessions = await b.client.get<{ data: { id: string }[] }>(
      `/v1/sessions?workspace_id=${body['workspace_id']}`,
    );
    expect(sessions.data.map(({ id }) => id)).toEqual([task.session_id]);
    const there = await eventsOf(a.client, task.id);
    const here = await eventsOf(b.client, task.id);
    expect(
      here.map((event) => (event as unknown as { metadata: JsonObject }).metadata['original_event_id']),
    ).toEqual(there.map(({ id }) => id));
    expect(here.map(({ payload, created_at }) => [payload, created_at])).toEqual(
      there.map(({ payload, created_at }) => [payload, created_at]),
    );
    const messages = (client: TestClient) =>
      client.get<{ data: { id: string; parts: unknown }[] }>(`/v1/sessions/${task.session_id}/messages`);
    const shown = ({ data }: { data: { id: string; parts: unknown }[] }) =>
      data.map(({ id, parts }) => [id, parts]);
    expect(shown(await messages(b.client))).toEqual(shown(await messages(a.client)));
  });

  it('of one Task brings that Task, and the chain of receipts it stands in', async () => {
    const session = await a.client.session();
    const first = await run('stream', a.client, session.id);
    const task = await run('answer', a.client, session.id);
    const bundle = await exported(a.client, { task_id: task.id }, 'local');
    const { status, body, text } = await imported(b.client, bundle);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ tasks: [{ id: task.id }] });
    expect((await b.client.call('GET', `/v1/tasks/${first.id}`)).status).toBe(404);
    expect(await verdictOf(b.client, task)).toMatchObject({ status: 'byte_equal' });
    expect(await b.client.post(`/v1/receipts/${task.receipt_id}/verify`)).toMatchObject({ valid: true });
  });

  it('is refused for a Task that has not ended', async () => {
    const task = await a.client.submit('ask');
    await a.client.until(task.id, 'INPUT_REQUIRED');
    const answer = await a.client.call('POST', '/v1/bundles/export', { body: { task_id: task.id } });
    expect(answer).toMatchObject({ status: 409, body: { error: { details: { open_tasks: [task.id] } } } });
    await a.client.answer(task.id, 'blue');
    await a.client.until(task.id, 'COMPLETED');
  });

  it('refuses a bundle that was changed on its way, and writes nothing of it', async () => {
    const task = await run('stream', a.client);
    const text = await exported(a.client, { session_id: task.session_id }, 'local');
    const before = b.gateway.log.head.eventId;
    const { metadata, ...rest } = JSON.parse(text) as { metadata: JsonObject };
    const { manifest, ...unsigned } = metadata;
    const faults: [string, string][] = [
      ['a text in it', text.replaceAll('chunk 2 of 3', 'chunk 9 of 3')],
      [
        'a text in it, without manifest',
        JSON.stringify({ ...rest, metadata: unsigned }).replaceAll('chunk 2 of 3', 'chunk 9 of 3'),
      ],
      ['no receipts', JSON.stringify({ ...rest, metadata: { ...unsigned, receipts: [] } })],
      ['keys of somebody else', text.replace(/"x":"[\w-]{43}"/g, `"x":"${'A'.repeat(42)}E"`)],
      ['a section is gone', JSON.stringify({ ...rest, metadata, permissions: [{}] })],
    ];
    for (const [what, bundle] of faults) {
      const { status, body } = await imported(b.client, bundle);
      expect([what, status, String((body['error'] as JsonObject)['message']).slice(0, 23)]).toEqual([
        what,
        400,
        'invalid session bundle:',
      ]);
      const finding = await b.client.call('POST', '/v1/bundles/validate', { body: Buffer.from(bundle) });
      expect(finding.status).toBe(200);
    }
    expect(b.gateway.log.head.eventId).toBe(before);
    expect((await b.client.call('GET', `/v1/sessions/${task.session_id}`)).status).toBe(404);
  });

  it('[BUNDLE-IMP-05] validation says whose signature it is, and writes nothing', async () => {
    const task = await run('stream', a.client);
    const bundle = Buffer.from(await exported(a.client, { session_id: task.session_id }, 'sanitized'));
    const before = b.gateway.log.head.eventId;
    const path = '/v1/bundles/validate';
    const [here, there] = await Promise.all(
      [a, b].map(({ client }) => client.call('POST', path, { body: bundle })),
    );
    expect(here?.body).toMatchObject({ valid: true, mode: 'sanitized', signed_by: 'known_key' });
    expect(there?.body).toMatchObject({ valid: true, mode: 'sanitized', signed_by: 'brought_key' });
    expect(b.gateway.log.head.eventId).toBe(before);
  });

  it('that is cut half way shows nothing, and the same bundle goes on where it was', async () => {
    const task = await run('long', a.client);
    const bytes = Buffer.from(await exported(a.client, { session_id: task.session_id }, 'local'));
    let left = 1;
    const log = new Proxy(b.gateway.log, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (name === 'transact')
          return (...args: Parameters<typeof target.transact>) => {
            if (left === 0) return Promise.reject(new Error('the process was killed'));
            left -= 1;
            return target.transact(...args);
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const bundles = bundleTools(
      { redactor: new Redactor(), version: 'test' },
      { keys: { verificationKeys: () => new Map() } } as never,
      { receipts: { issuer: { id: 'test', name: null } } } as never,
    );
    const { project } = await loadRooms();
    const parts = { log, bundles, redact: readBefore, project };
    const request = { source: inMemory(bytes), allowSecretMarkers: false, origin: { actor: 'actor_test' } };
    const { signal } = new AbortController();
    await expect(restoreSession(parts, request, signal)).rejects.toThrow('killed');
    for (const path of [`/v1/sessions/${task.session_id}`, `/v1/tasks/${task.id}`])
      expect((await b.client.call('GET', path)).status).toBe(404);
    const listed = await b.client.get<{ data: { session_id: string }[] }>('/v1/tasks');
    expect(listed.data.filter(({ session_id }) => session_id === task.session_id)).toEqual([]);
    const { status, text } = await imported(b.client, bytes);
    expect(status, text).toBe(200);
    expect(await verdictOf(b.client, task)).toMatchObject({ status: 'byte_equal' });
  });
});
