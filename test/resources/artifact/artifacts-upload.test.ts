import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Artifact } from '#resources/artifact/schema.ts';
import { stageOf } from '../../conformance/stage.ts';

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256));
const LIMIT = 1_200_000;
const AS_BYTES = { 'content-type': 'application/octet-stream' };

describe('artifacts of callers', () => {
  const stage = stageOf({ config: { limits: { max_artifact_bytes: LIMIT } } });
  const register = (body: object = {}) =>
    stage.client.post<Artifact>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'application/octet-stream',
      visibility: 'public',
      ...body,
    });
  const upload = (id: string, body: Buffer) =>
    stage.client.call<Artifact>('PUT', `/v1/artifacts/${id}/content`, { body, headers: AS_BYTES });
  const download = async (id: string, client = stage.client) => {
    const response = await fetch(`${client.url}/v1/artifacts/${id}/content`, {
      headers: {
        authorization: `Bearer ${client.key}`,
        'Harn-Agents-Protocol-Version': 'agents-protocol-2026-04-25',
      },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it('[CORE-RES-11] a registered artifact has no content and no hash until it is uploaded, and then both', async () => {
    const made = await register({ kind: 'dataset', mime_type: 'text/csv', metadata: { rows: 2 } });
    expect(made).toMatchObject({
      kind: 'dataset',
      mime_type: 'text/csv',
      visibility: 'public',
      sha256: null,
      uri: `/v1/artifacts/${made.id}/content`,
      metadata: { rows: 2 },
    });
    expect((await download(made.id)).response.status).toBe(404);
    const stored = await upload(made.id, BYTES);
    expect(stored.status).toBe(200);
    expect(stored.body).toMatchObject({ id: made.id, sha256: sha256(BYTES), mime_type: 'text/csv' });
    expect(await stage.client.get(`/v1/artifacts/${made.id}`)).toEqual(stored.body);
    const { response, bytes } = await download(made.id);
    expect(bytes.equals(BYTES)).toBe(true);
    expect(response.headers.get('content-type')).toBe('text/csv');
    expect(response.headers.get('content-length')).toBe(String(BYTES.length));
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('content goes up once: the same bytes again change nothing, others are a conflict', async () => {
    const { id } = await register();
    const first = await upload(id, BYTES);
    expect((await upload(id, BYTES)).body).toEqual(first.body);
    const other = await upload(id, Buffer.from('other'));
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ error: { code: 'conflict' } });
    expect((await download(id)).bytes.equals(BYTES)).toBe(true);
  });

  it('long content, hashed while it comes, is known by its hash', async () => {
    const long = Buffer.alloc(1_100_000, 'long ');
    const { id } = await register({ sha256: sha256(long) });
    expect((await upload(id, Buffer.alloc(1_100_000, 'other'))).status).toBe(400);
    expect((await upload(id, long)).status).toBe(200);
    expect((await download(id)).bytes.equals(long)).toBe(true);
    expect((await upload(id, Buffer.alloc(1_100_000, 'other'))).status).toBe(409);
  });

  it.each(['', 'sha256:'])(
    '[C5] a hash announced as "%s<hex>" is kept bare and must be that of the bytes',
    async (prefix) => {
      const made = await register({ sha256: `${prefix}${sha256(BYTES).toUpperCase()}` });
      expect(made.sha256).toBe(sha256(BYTES));
      const wrong = await upload(made.id, Buffer.from('wrong'));
      expect(wrong.status).toBe(400);
      expect(wrong.body).toMatchObject({
        error: {
          code: 'invalid_request',
          param: 'sha256',
          details: { expected: sha256(BYTES), observed: sha256('wrong') },
        },
      });
      expect((await upload(made.id, BYTES)).status).toBe(200);
    },
  );

  it('content above the limit is 413, at the limit it passes', async () => {
    const { id } = await register();
    const over = await upload(id, Buffer.alloc(LIMIT + 1));
    expect(over.status).toBe(413);
    expect(over.body).toMatchObject({ error: { code: 'payload_too_large', type: 'request_error' } });
    const full = Buffer.alloc(LIMIT, 'ab');
    expect((await upload(id, full)).body).toMatchObject({ sha256: sha256(full) });
    expect((await download(id)).bytes.equals(full)).toBe(true);
  });

  it('empty content is content', async () => {
    const { id } = await register();
    expect((await upload(id, Buffer.alloc(0))).body).toMatchObject({ sha256: sha256('') });
    expect((await download(id)).bytes.length).toBe(0);
  });

  it('an artifact that lives elsewhere has its own uri and takes no content', async () => {
    const made = await register({ uri: 'https://files.example/a.bin', sha256: sha256(BYTES) });
    expect(made.uri).toBe('https://files.example/a.bin');
    expect((await upload(made.id, BYTES)).status).toBe(409);
    expect((await download(made.id)).response.status).toBe(404);
  });

  it('[CORE-RES-03] task decides session, session decides workspace; contradictions are refused', async () => {
    const task = await stage.client.submit('hello');
    const other = await stage.client.session();
    expect(await register({ task_id: task.id })).toMatchObject({
      workspace_id: 'workspace_default',
      session_id: task.session_id,
      task_id: task.id,
    });
    const body = {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      task_id: task.id,
      session_id: other.id,
    };
    expect((await stage.client.call('POST', '/v1/artifacts', { body })).body).toMatchObject({
      error: { param: 'session_id' },
    });
  });

  it('[S4-04] the bytes come back as they were, secrets and all', async () => {
    const { id } = await register();
    const bytes = Buffer.from(`token=${stage.client.key} ghp_${'a1B2'.repeat(9)}`);
    await upload(id, bytes);
    expect((await download(id)).bytes.toString()).toBe(bytes.toString());
  });
});
