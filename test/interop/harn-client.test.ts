import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import { GatewayError, type HarnClientOptions, harnClient, type StreamedEvent } from '#client/index.ts';
import { systemRandom } from '#compose/compose.ts';
import { SUPPORTED_VERSIONS, type VersionId } from '#protocol/versions.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let sample: Peer;
let gateway: TestGateway;
beforeAll(async () => {
  sample = await startSampleAgent();
  gateway = await startTestGateway({ config: { upstreams: upstreams() } });
});
afterAll(async () => {
  await gateway.close();
  await sample.close();
});

const upstreams = () => ({ a2a: [{ id: 'sample', card: sample.cardUrl }] });

function clientOf<Version extends VersionId>(
  version: Version,
  more: Partial<HarnClientOptions<Version>> = {},
) {
  return harnClient<Version>({ url: gateway.url, key: gateway.client.key, version, ...more });
}

const text = (words: string) => ({
  input: {
    role: 'user' as const,
    parts: [{ type: 'text' as const, text: words, visibility: 'public' as const }],
  },
});

async function idsOf(events: AsyncIterable<StreamedEvent>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events) ids.push(id);
  return ids;
}

/** A network on which the answers to some requests are lost, or break off after so many bytes. */
function lossy(isLost: (request: Request) => boolean, cutAfterBytes?: number) {
  return async (request: Request): Promise<Response> => {
    const loses = isLost(request);
    const response = await fetch(request);
    if (!loses) return response;
    if (cutAfterBytes === undefined) {
      await response.text();
      throw new TypeError('fetch failed');
    }
    let left = cutAfterBytes;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (left <= 0) return controller.error(new TypeError('terminated'));
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
      },
    });
    return new Response(response.body?.pipeThrough(cut) ?? null, response);
  };
}

describe('the types of the client', () => {
  it('are what the OpenAPI documents give', async () => {
    const { stderr } = await promisify(execFile)(process.execPath, ['config/client-types.mjs', 'check'], {
      cwd: ROOT,
    });
    expect(stderr).toBe('');
  });

  it('know paths, bodies and answers of each version', () => {
    const client = clientOf('agents-protocol-2026-04-25');
    const newer = clientOf('agents-protocol-2026-10-11');
    const params = { path: { task_id: 'task_x' } };
    const message = text('no').input;
    const checked = [
      // @ts-expect-error: no such path
      () => client.get('/v1/nothing'),
      // @ts-expect-error: the Session is missing
      () => client.post('/v1/sessions/{session_id}/tasks', { body: text('x') }),
      // @ts-expect-error: a page is no word
      () => client.get('/v1/sessions', { params: { query: { limit: 'ten' } } }),
      // @ts-expect-error: it answers with no events
      () => client.events('/v1/sessions'),
      () => client.post('/v1/tasks/{task_id}/messages', { params, body: { kind: 'interrupt', message } }),
      // @ts-expect-error: this version has no interrupt
      () => newer.post('/v1/tasks/{task_id}/messages', { params, body: { kind: 'interrupt', message } }),
    ];
    expect(checked).toHaveLength(6);
  });
});

describe.each(SUPPORTED_VERSIONS)('the client in %s', (version) => {
  it('runs a task from its session to its receipt', async () => {
    const client = clientOf(version);
    const session = await client.post('/v1/sessions', { body: { workspace_id: 'workspace_default' } });
    const path = { session_id: session.id };
    const task = await client.post('/v1/sessions/{session_id}/tasks', {
      params: { path },
      body: text('stream 2'),
    });
    const seen: string[] = [];
    const follow = { params: { path: { task_id: task.id } } };
    for await (const { event } of client.events('/v1/tasks/{task_id}/stream', follow)) seen.push(event);
    expect(seen.slice(0, 1)).toEqual(['task.submitted']);
    expect(seen.slice(-2)).toEqual(['task.completed', 'receipt.issued']);
    const { data } = await client.get('/v1/tasks/{task_id}/receipts', follow);
    const [receipt] = data;
    const verified = await client.post('/v1/receipts/{receipt_id}/verify', {
      params: { path: { receipt_id: receipt?.id ?? '' } },
    });
    expect(verified).toMatchObject({ valid: true });
  });

  it('throws what was refused: code, field, status, and the id of the request', async () => {
    const client = clientOf(version);
    const failed = client.get('/v1/tasks/{task_id}', { params: { path: { task_id: 'task_none' } } });
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'resource_not_found', status: 404 });
    expect((error as GatewayError).requestId).toMatch(/^req_/);
    const body = { workspace_id: 7 as unknown as string };
    await expect(client.post('/v1/sessions', { body })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'workspace_id',
    });
    const stranger = clientOf(version, { key: 'harn_wrong' });
    await expect(stranger.get('/v1/sessions')).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    });
    await expect(
      idsOf(stranger.events('/v1/tasks/{task_id}/stream', { params: { path: { task_id: 'task_none' } } })),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('says so where no gateway answers', async () => {
    const answer = async () =>
      new Response('<h1>proxy</h1>', { status: 502, headers: { 'x-request-id': 'p1' } });
    await expect(clientOf(version, { fetch: answer }).get('/v1/sessions')).rejects.toMatchObject({
      code: undefined,
      status: 502,
      requestId: 'p1',
      message: 'The answer has status 502 and is none of a gateway. Check the URL.',
    });
  });

  it('submits a task once where the answer is lost', async () => {
    let lost = 0;
    const fetch = lossy(({ method, url }) => method === 'POST' && url.endsWith('/v1/tasks') && ++lost <= 2);
    const client = clientOf(version, { fetch, pause: async () => {} });
    const session = await client.post('/v1/sessions', { body: { workspace_id: 'workspace_default' } });
    const task = await client.post('/v1/tasks', { body: { session_id: session.id, ...text('hello') } });
    expect(lost).toBe(3);
    const { data } = await client.get('/v1/tasks', { params: { query: { session_id: session.id } } });
    expect(data.map(({ id }) => id)).toEqual([task.id]);
  });

  it('sends nothing again that could be done twice, and nothing at all when it is told so', async () => {
    let sent = 0;
    const isAny = () => ++sent > 0;
    const once = clientOf(version, { fetch: lossy(isAny), pause: async () => {}, retries: 0 });
    await expect(once.get('/v1/sessions')).rejects.toThrow(TypeError);
    expect(sent).toBe(1);
    const keyless = version === 'agents-protocol-2026-10-11';
    const client = clientOf(version, { fetch: lossy(isAny), pause: async () => {} });
    sent = 0;
    await expect(
      client.post('/v1/sessions', { body: { workspace_id: 'workspace_default' } }),
    ).rejects.toThrow(TypeError);
    expect(sent).toBe(keyless ? 1 : 3);
  });

  it('waits as long as the gateway asks before it sends again', async () => {
    const waits: number[] = [];
    let tries = 0;
    const busy = async (request: Request) => {
      tries += 1;
      if (tries > 1) return fetch(request);
      const error = {
        code: 'service_unavailable',
        message: 'Later.',
        type: 'server_error',
        request_id: 'req_1',
      };
      return Response.json({ error }, { status: 503, headers: { 'Retry-After': '3' } });
    };
    const pause = async (ms: number) => void waits.push(ms);
    await clientOf(version, { fetch: busy, pause }).get('/v1/sessions');
    expect(waits).toEqual([3_000]);
  });

  it('follows a stream over cuts, with each event once', async () => {
    let connections = 0;
    const isStream = ({ url }: Request) => url.endsWith('/stream') && ++connections < 6;
    const client = clientOf(version, { fetch: lossy(isStream, 3_000), pause: async () => {} });
    const { session_id, id } = await gateway.client.submit('stream 20');
    const params = { path: { task_id: id } };
    const followed = await idsOf(client.events('/v1/tasks/{task_id}/stream', { params }));
    const kept = await gateway.client.events(`/v1/tasks/${id}/events`);
    expect(followed).toEqual(kept.map((event) => event.id));
    expect(connections).toBeGreaterThan(2);
    // From an Event that is known on, and only as far as wanted.
    const [first, second] = kept;
    const from = { params: { path: { session_id } }, lastEventId: first?.id ?? '' };
    const until = () => true;
    expect(
      await idsOf(client.events('/v1/sessions/{session_id}/events/stream', { ...from, until })),
    ).toHaveLength(1);
    expect(second).toBeDefined();
  });

  it('ends at once with a stream that has nothing more', async () => {
    const client = clientOf(version, { pause: async () => {} });
    const { id } = await gateway.client.submit('hello');
    const params = { path: { task_id: id } };
    const all = await idsOf(client.events('/v1/tasks/{task_id}/stream', { params }));
    const rest = client.events('/v1/tasks/{task_id}/stream', { params, lastEventId: all.at(-1) ?? '' });
    expect(await idsOf(rest)).toEqual([]);
  });

  it('gives up on a stream with the error of its last try', async () => {
    const never = async () => {
      throw new TypeError('fetch failed');
    };
    const client = clientOf(version, { fetch: never, pause: async () => {} });
    const params = { path: { task_id: 'task_x' } };
    await expect(
      idsOf(client.events('/v1/tasks/{task_id}/stream', { params, resumeDelaysMs: [1, 1] })),
    ).rejects.toThrow('fetch failed');
    const gone = clientOf(version);
    const { id } = await gateway.client.submit('hello');
    const future = { params: { path: { task_id: id } }, lastEventId: '00000999999999999999' };
    await expect(idsOf(gone.events('/v1/tasks/{task_id}/stream', future))).rejects.toMatchObject({
      code: 'cursor_expired',
      status: 200,
    });
  });

  it('stops following when its caller says so', async () => {
    const leaving = new AbortController();
    const session = await gateway.client.session();
    const follow = { params: { path: { session_id: session.id } }, signal: leaving.signal };
    const following = idsOf(clientOf(version).events('/v1/sessions/{session_id}/events/stream', follow));
    leaving.abort(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
  });

  it('sends and gets bytes', async () => {
    const client = clientOf(version);
    const artifact = await client.post('/v1/artifacts', {
      body: {
        workspace_id: 'workspace_default',
        kind: 'image',
        mime_type: 'image/png',
        visibility: 'public',
      },
    });
    const path = { artifact_id: artifact.id };
    const bytes = new Uint8Array([0, 255, 1, 254]);
    const body = new Blob([bytes], { type: 'image/png' });
    await client.put('/v1/artifacts/{artifact_id}/content', { params: { path }, body });
    const got = await client.get('/v1/artifacts/{artifact_id}/content', {
      params: { path },
      parseAs: 'blob',
    });
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(bytes);
    expect(got.type).toBe('image/png');
  });
});

it('follows a stream over a restart of the gateway', async () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-client-'));
  const key = newApiKey('test', 'kept', systemRandom);
  const api_keys = [{ id: 'kept', hash: apiKeyHash(key), actor: 'actor_test' }];
  const start = (port: number) =>
    startTestGateway({ data, config: { upstreams: upstreams(), auth: { api_keys }, server: { port } } });
  let running = await start(0);
  try {
    const client = harnClient({ url: running.url, key });
    const { port } = new URL(running.url);
    const { id } = await client.post('/v1/sessions', { body: { workspace_id: 'workspace_default' } });
    const params = { path: { session_id: id } };
    await client.post('/v1/sessions/{session_id}/messages', {
      params,
      body: { message: text('before').input },
    });
    const seen: string[] = [];
    for await (const event of client.events('/v1/sessions/{session_id}/events/stream', { params })) {
      seen.push(`${event.event} ${event.id}`);
      if (event.event !== 'session.message_appended') continue;
      await running.close();
      running = await start(Number(port));
      await client.post('/v1/sessions/{session_id}/close', { params });
    }
    const kept = await client.get('/v1/sessions/{session_id}/events', { params });
    expect(seen).toEqual(kept.data.map((event) => `${event.event} ${event.id}`));
    expect(seen.at(-1)).toContain('session.closed');
  } finally {
    await running.close();
    rmSync(data, { recursive: true, force: true });
  }
});
