import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '#json/canonical.ts';
import type { Workspace } from '#resources/workspace/schema.ts';
import { stageOf } from '../../conformance/stage.ts';

const outside = mkdtempSync(join(tmpdir(), 'harn-outside-'));
const served = mkdtempSync(join(tmpdir(), 'harn-served-'));
const data = mkdtempSync(join(served, 'data-'));
/** The configuration refuses a data directory inside by name; a link hides it. */
const alias = `${served}-alias`;
symlinkSync(served, alias);

afterAll(() => {
  for (const directory of [alias, outside, served]) rmSync(directory, { recursive: true, force: true });
});

const stage = stageOf({
  data,
  config: { limits: { max_file_bytes: 1_000 }, store: { data, workspace_roots: [alias] } },
});

interface Listing {
  entries: { name: string; path: string; kind: string; size: number }[];
  truncated: boolean;
}

/** A workspace of its own per test; `dir` is where its files are. */
let id: string;
let dir: string;

async function newWorkspace(root = 'harn://files'): Promise<string> {
  return (await stage.client.post<Workspace>('/v1/workspaces', { name: 'Files', root })).id;
}

const filesOf = (workspace: string, path?: string) =>
  `/v1/workspaces/${workspace}/files${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`;
const read = (path?: string) => stage.client.call('GET', filesOf(id, path));
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
  id = await newWorkspace();
  dir = join(data, 'workspaces', id);
});

describe('files of a workspace', () => {
  it('a fresh root lists as empty', async () => {
    expect((await read()).body).toEqual({
      object: 'file_listing',
      workspace_id: id,
      path: '.',
      entries: [],
      truncated: false,
    });
  });

  it('what was written is read back, and the directories it needs are made', async () => {
    const content = 'Grüße\n';
    const sha256 = sha256Hex(Buffer.from(content));
    const answer = await write('notes/2026/plan.md', content);
    expect([answer.status, answer.body]).toEqual([
      200,
      { object: 'file', workspace_id: id, path: 'notes/2026/plan.md', encoding: 'utf-8', bytes: 8, sha256 },
    ]);
    expect((await read('./notes//2026/plan.md')).body).toMatchObject({ content, bytes: 8, sha256 });
    expect(readFileSync(join(dir, 'notes/2026/plan.md'), 'utf8')).toBe(content);
    expect(await writtenEvents()).toEqual([{ path: 'notes/2026/plan.md', bytes: 8, sha256, metadata: {} }]);
  });

  it('the path of the body goes before that of the query', async () => {
    const body = { path: 'b.txt', content: 'x' };
    const answer = await stage.client.call('PUT', filesOf(id, 'q.txt'), { body });
    expect(answer.body).toMatchObject({ path: 'b.txt' });
    expect(readdirSync(dir)).toEqual(['b.txt']);
  });

  it('a listing is sorted and shows files and directories, but no draft of a write', async () => {
    for (const path of ['b.txt', 'a/x.txt', 'C.txt']) await write(path, 'text');
    writeFileSync(join(dir, '.harn-draft'), 'left by a crash');
    const { entries } = (await read('.')).body as unknown as Listing;
    expect(entries).toEqual([
      { name: 'C.txt', path: 'C.txt', kind: 'file', size: 4 },
      { name: 'a', path: 'a', kind: 'directory', size: 0 },
      { name: 'b.txt', path: 'b.txt', kind: 'file', size: 4 },
    ]);
    expect(((await read('a')).body as unknown as Listing).entries).toMatchObject([{ path: 'a/x.txt' }]);
    refused(await read('.harn-draft'), 404, 'resource_not_found');
    refused(await write('.harn-draft', 'x'), 400, 'invalid_request');
  });

  it('a listing of very many entries is capped and says so', async () => {
    mkdirSync(dir, { recursive: true });
    for (let at = 0; at < 1_001; at += 1) writeFileSync(join(dir, `f${String(at).padStart(4, '0')}`), '');
    const listing = (await read()).body as unknown as Listing;
    expect([listing.entries.length, listing.entries.at(-1)?.name, listing.truncated]).toEqual([
      1_000,
      'f0999',
      true,
    ]);
  });

  it('a file keeps its mode when it is written again', async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    await write('run.sh', '#!/bin/sh\nexit 0\n');
    expect(statSync(join(dir, 'run.sh')).mode & 0o777).toBe(0o755);
  });

  it.each(['../x', 'a/../../x', '..', '/etc/passwd', 'a\u0000b', 'a\\..\\b', 'n'.repeat(256), 'a\nb'])(
    'refuses the path %j',
    async (path) => {
      refused(await read(path), 400, 'invalid_request');
      refused(await write(path, 'x'), 400, 'invalid_request');
      expect(existsSync(dir)).toBe(false);
    },
  );

  it.each(['', '.', 'a/'])('refuses to write to %j, which names no file', async (path) => {
    refused(await write(path, 'x'), 400, 'invalid_request');
  });

  it('a directory is not written over, and a file is no directory', async () => {
    await write('a/b', 'x');
    refused(await write('a', 'x'), 400, 'invalid_request');
    refused(await write('a/b/c', 'x'), 400, 'invalid_request');
    refused(await read('a/b/c'), 400, 'invalid_request');
    refused(await read('a/missing'), 404, 'resource_not_found');
  });

  it('too large is 413 in both directions, exactly at the limit is fine', async () => {
    expect((await write('full', 'x'.repeat(1_000))).status).toBe(200);
    expect((await read('full')).status).toBe(200);
    refused(await write('more', 'x'.repeat(1_001)), 413, 'payload_too_large');
    writeFileSync(join(dir, 'grown'), 'x'.repeat(1_001));
    refused(await read('grown'), 413, 'payload_too_large');
  });

  it('bytes that are not UTF-8 are refused, not repaired', async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'image.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    const answer = await read('image.png');
    refused(answer, 400, 'invalid_request');
    expect(answer.body).toMatchObject({ error: { details: { reason: 'not_utf8' } } });
  });

  it('a pipe does not hang a read and is not written to', async () => {
    mkdirSync(dir, { recursive: true });
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    refused(await read('pipe'), 422, 'policy_violation');
    refused(await write('pipe', 'x'), 422, 'policy_violation');
    expect((await read()).body).toMatchObject({ entries: [] });
  });
});

describe('symbolic links', () => {
  beforeEach(() => {
    mkdirSync(join(dir, 'real'), { recursive: true });
    writeFileSync(join(dir, 'real/file'), 'inside');
    writeFileSync(join(outside, 'secret'), 'outside');
  });

  it('inside the root are followed', async () => {
    symlinkSync('real', join(dir, 'link'));
    symlinkSync('real/file', join(dir, 'alias'));
    expect((await read('link/file')).body).toMatchObject({ content: 'inside' });
    expect((await write('alias', 'changed')).status).toBe(200);
    expect(readFileSync(join(dir, 'real/file'), 'utf8')).toBe('changed');
  });

  it.each([
    ['a file', () => join(outside, 'secret'), 'way'],
    ['a directory', () => outside, 'way/secret'],
    ['a directory, for a new file', () => outside, 'way/new'],
    ['a directory, for new directories', () => outside, 'way/new/deep'],
    ['nothing', () => join(outside, 'absent'), 'way'],
    ['itself', () => join(dir, 'way'), 'way'],
    ['the directory of all workspaces', () => '..', 'way/other'],
  ])('that lead to %s outside are refused', async (_name, target, path) => {
    symlinkSync(target(), join(dir, 'way'));
    refused(await write(path, 'x'), 422, 'policy_violation');
    refused(await read(path), 422, 'policy_violation');
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('outside');
    expect((await read()).body).toMatchObject({ entries: [{ name: 'real' }] });
  });

  it('in place of a draft are not followed', async () => {
    symlinkSync(join(outside, 'secret'), join(dir, '.harn-draft'));
    expect((await write('new', 'x')).status).toBe(200);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('outside');
  });
});

describe('roots', () => {
  it.each([
    '/srv/elsewhere',
    'git@example.com:repo.git',
    'file:///etc',
    'file:///srv%2fa',
    'file:///%zz',
    'C:\\work',
    './data',
  ])('the root %s is a label: its files are not served', async (root) => {
    id = await newWorkspace(root);
    refused(await read(), 422, 'policy_violation');
    refused(await write('a', 'x'), 422, 'policy_violation');
  });

  it('a root under store.workspace_roots is served, one that leaves it by a link is not', async () => {
    mkdirSync(join(served, 'project'));
    symlinkSync(outside, join(served, 'way'));
    id = await newWorkspace(join(served, 'project'));
    expect((await write('a.txt', 'x')).status).toBe(200);
    expect(readFileSync(join(served, 'project/a.txt'), 'utf8')).toBe('x');
    for (const root of [join(served, 'way'), join(served, '../..'), `${served}-other`]) {
      id = await newWorkspace(root);
      refused(await read(), 422, 'policy_violation');
    }
  });

  it('the data directory is never served, also when it lies under store.workspace_roots', async () => {
    for (const root of [data, `file://${data}`, join(data, 'workspaces')]) {
      id = await newWorkspace(root);
      refused(await read(), 422, 'policy_violation');
      refused(await write('a', 'x'), 422, 'policy_violation');
    }
    symlinkSync(data, join(served, 'way-in'));
    id = await newWorkspace(served);
    for (const name of [basename(data), 'way-in']) {
      refused(await read(`${name}/keys`), 422, 'policy_violation');
      refused(await write(`${name}/store/new`, 'x'), 422, 'policy_violation');
    }
    expect((await write('beside', 'x')).status).toBe(200);
  });
});
