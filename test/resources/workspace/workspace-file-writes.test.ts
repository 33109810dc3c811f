import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '#json/canonical.ts';
import type { Workspace } from '#resources/workspace/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { startTestGateway } from '../../harness/gateway.ts';

const stage = stageOf({
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_other', tenant: 'tenant_other' }],
  },
  keys: [
    { actor: 'actor_reader', scopes: ['workspaces:read'], workspaces: ['workspace_default'] },
    { actor: 'actor_outsider', tenant: 'tenant_other', workspaces: ['workspace_other'] },
  ],
});

/** A workspace of its own per test; `dir` is where its files are. */
let id: string;
let dir: string;

const filesOf = (workspace: string, path?: string) =>
  `/v1/workspaces/${workspace}/files${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`;
const write = (path: string, content: string, key?: string) =>
  stage.client.call('PUT', filesOf(id, path), {
    body: { content },
    headers: { 'idempotency-key': key },
  });

function refused(answer: { status: number; body: object }, status: number, code: string): void {
  expect([answer.status, answer.body]).toMatchObject([status, { error: { code } }]);
}

async function writtenEvents(): Promise<unknown[]> {
  const events = await stage.client.events('/v1/events');
  return events
    .filter(({ event, resource }) => event.endsWith('file_written') && resource.id === id)
    .map(({ payload }) => payload);
}

beforeEach(async () => {
  const body = { name: 'Files', root: 'harn://files' };
  id = (await stage.client.post<Workspace>('/v1/workspaces', body)).id;
  dir = join(stage.gateway.data, 'workspaces', id);
});

describe('writing', () => {
  it('a key that was used gives the stored answer and leaves newer content alone', async () => {
    const first = await write('a', 'one', 'key-1');
    await write('a', 'two');
    const again = await write('a', 'one', 'key-1');
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    refused(await write('a', 'three', 'key-1'), 409, 'idempotency_key_reused');
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('two');
  });

  it('the last of many writes at once is what the file and the last event say', async () => {
    const contents = Array.from({ length: 12 }, (_, at) => `content ${at}`);
    const answers = await Promise.all(contents.map((content) => write('shared', content)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const events = await writtenEvents();
    expect(events).toHaveLength(12);
    expect(events.at(-1)).toMatchObject({ sha256: sha256Hex(readFileSync(join(dir, 'shared'))) });
    expect(readdirSync(dir)).toEqual(['shared']);
  });

  it('two bodies under one key at once: one is written, the other is refused unwritten', async () => {
    const answers = await Promise.all([write('a', 'one', 'key-r'), write('a', 'two', 'key-r')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await writtenEvents()).toHaveLength(1);
  });

  it('needs workspaces:write, and a workspace of others is absent', async () => {
    const path = filesOf('workspace_default', 'a.txt');
    const reader = stage.as('actor_reader');
    refused(await reader.call('PUT', path, { body: { content: 'x' } }), 403, 'permission_denied');
    refused(await reader.call('GET', path), 404, 'resource_not_found');
    refused(await stage.as('actor_outsider').call('GET', filesOf(id)), 404, 'resource_not_found');
    const hidden = await stage.as('actor_outsider').call('PUT', filesOf(id, 'a'), { body: { content: 'x' } });
    refused(hidden, 404, 'resource_not_found');
  });

  it('the content is not in the log', async () => {
    await write('a', 'content that stays out of the log');
    expect(JSON.stringify(await stage.client.events('/v1/events'))).not.toContain('stays out of the log');
  });
});

describe('files over a restart', () => {
  let data: string;
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), 'harn-test-'));
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('stay, and a draft left by a crash does not stop the next write', async () => {
    const before = await startTestGateway({ data });
    const path = filesOf('workspace_default', 'a.txt');
    await before.client.call('PUT', path, { body: { content: 'kept' } });
    await before.close();
    writeFileSync(join(data, 'workspaces/workspace_default/.harn-draft'), 'half');
    const after = await startTestGateway({ data });
    expect(await after.client.get(path)).toMatchObject({ content: 'kept' });
    expect((await after.client.call('PUT', path, { body: { content: 'new' } })).status).toBe(200);
    expect(readdirSync(join(data, 'workspaces/workspace_default'))).toEqual(['a.txt']);
    await after.close();
  });
});
