import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '#resources/workspace/schema.ts';
import { FileTree } from '#store/file-tree.ts';
import { stageOf } from '../../conformance/stage.ts';

const served = mkdtempSync(join(tmpdir(), 'harn-served-'));
const data = mkdtempSync(join(tmpdir(), 'harn-data-'));
const way = `${data}-way`;
mkdirSync(join(served, 'theirs'));
symlinkSync(served, way);

afterAll(() => {
  for (const directory of [way, served, data]) rmSync(directory, { recursive: true, force: true });
});

const stage = stageOf({
  data,
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_other', tenant: 'tenant_other' }],
    store: { data, workspace_roots: [served] },
  },
  keys: [
    {
      actor: 'actor_writer',
      tenant: 'tenant_other',
      scopes: ['workspaces:read', 'workspaces:write'],
      workspaces: ['workspace_other'],
    },
    {
      actor: 'actor_admin',
      tenant: 'tenant_other',
      scopes: ['workspaces:read', 'workspaces:write', 'admin'],
      workspaces: ['workspace_other'],
    },
  ],
});

const open = (actor: string, root: string) =>
  stage.as(actor).call('POST', '/v1/workspaces', { body: { name: 'Files', root } });

describe('a workspace over a configured directory', () => {
  it.each([
    ['the directory itself', () => served],
    ['a directory in it', () => join(served, 'theirs')],
    ['a file URL', () => `file://${served}/theirs`],
    ['what is not made yet', () => join(served, 'later/deep')],
    ['a link from elsewhere', () => join(way, 'theirs')],
    ['what is not made yet, behind a link', () => join(way, 'later')],
    ['a way around', () => `${data}/absent/../../${basename(served)}/theirs`],
    ['a name with dots', () => `${served}/theirs/../../${basename(served)}/theirs`],
  ])('needs the scope admin: %s', async (_name, root) => {
    const answer = await open('actor_writer', root());
    expect([answer.status, answer.body]).toMatchObject([
      403,
      { error: { code: 'permission_denied', param: 'root', details: { required_scope: 'admin' } } },
    ]);
    expect((await open('actor_admin', root())).status).toBe(201);
  });

  it.each(['harn://mine', '/srv/elsewhere', `${served}-beside`, 'git@example.com:repo.git', './data', '/'])(
    'is not one whose root is a label or harn://: %s',
    async (root) => {
      expect((await open('actor_writer', root)).status).toBe(201);
    },
  );
});

describe('workspaces over the same directory', () => {
  /** Of two workspaces over one root and one over its parent: where each finds the same directory. */
  let places: { id: string; prefix: string }[];

  beforeEach(async () => {
    const root = mkdtempSync(join(served, 'shared-'));
    mkdirSync(join(root, 'inner'));
    const roots = [join(root, 'inner'), `file://${root}/inner`, root];
    const made = await Promise.all(
      roots.map((path) => stage.client.post<Workspace>('/v1/workspaces', { name: 'Files', root: path })),
    );
    places = made.map(({ id, root: path }) => ({ id, prefix: path === root ? 'inner/' : '' }));
  });

  const writeAll = (path: (at: number) => string, content: (at: number) => string) =>
    Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const { id, prefix } = places[at % places.length] ?? { id: '', prefix: '' };
        const body = { path: `${prefix}${path(at)}`, content: content(at) };
        return stage.client.call('PUT', `/v1/workspaces/${id}/files`, { body });
      }),
    );
  const directory = async () => (await stage.client.get<Workspace>(`/v1/workspaces/${places[0]?.id}`)).root;

  it('do not disturb each other when they write at once', async () => {
    const answers = await writeAll(
      (at) => `file-${at}`,
      (at) => `content ${at}`,
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const dir = await directory();
    expect(readdirSync(dir)).toHaveLength(12);
    for (let at = 0; at < 12; at += 1)
      expect(readFileSync(join(dir, `file-${at}`), 'utf8')).toBe(`content ${at}`);
  });

  it('may make the same directories and the same file at once', async () => {
    const contents = Array.from({ length: 12 }, (_, at) => `${at}`.repeat(10_000));
    const answers = await writeAll(
      () => 'new/deep/file',
      (at) => contents[at] ?? '',
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(contents).toContain(readFileSync(join(await directory(), 'new/deep/file'), 'utf8'));
    expect(readdirSync(join(await directory(), 'new/deep'))).toEqual(['file']);
  });
});

describe('a directory that goes away during a write', () => {
  it('is a reason to retry, never an absent resource', async () => {
    const files = new FileTree({
      dir: join(data, 'none'),
      roots: [served],
      dataDir: data,
      maxFileBytes: 100,
      inTurn: async (directory, work) => {
        rmSync(directory, { recursive: true });
        await work();
      },
    });
    const root = { id: 'workspace_x', root: mkdtempSync(join(served, 'gone-')) };
    await expect(files.write(root, ['a', 'b'], Buffer.from('x'))).rejects.toMatchObject({
      code: 'service_unavailable',
      param: 'path',
    });
  });
});
