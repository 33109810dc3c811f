import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { AskingClient } from '../harness/asking-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { runCommand } from './command-line.ts';

describe('trust records on the command line', () => {
  let gateway: TestGateway;
  const dir = mkdtempSync(join(tmpdir(), 'harn-trust-'));
  const file = (name: string) => join(dir, name);

  beforeAll(async () => {
    const agent = new AskingClient();
    gateway = await startTestGateway({ extraClients: [agent] });
    for (const approved of [true, false]) {
      const task = await gateway.client.submit('tool', undefined, { route: agent.route });
      await gateway.client.until(task.id, 'AUTH_REQUIRED');
      const path = `/v1/tasks/${task.id}/permission-requests`;
      const [request] = (await gateway.client.get<{ data: PermissionRequest[] }>(path)).data;
      await gateway.client.post(`/v1/permission-requests/${request?.id}/respond`, { approved });
    }
    const keys = await fetch(`${gateway.url}/.well-known/jwks.json`);
    writeFileSync(file('jwks.json'), await keys.text());
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const run = (...words: string[]) => runCommand(['trust', ...words]);
  const here = () => ['--url', gateway.url, '--key', gateway.client.key];

  it('are listed for people, newest first', async () => {
    const { out } = await run('list', '--workspace', 'workspace_default', ...here());
    expect(out.trim().split('\n')).toEqual([
      expect.stringMatching(/^TIME +OUTCOME +AGENT +ACTION +APPROVER$/),
      expect.stringMatching(/denied .*tool:delete_file .*-$/),
      expect.stringMatching(/success .*tool:delete_file .*actor_test$/),
    ]);
  });

  it('are exported, verified with the public keys, and refused when a byte is another', async () => {
    expect(await run('export', 'workspace_default', '--out', file('trust.json'), ...here())).toMatchObject({
      code: 0,
    });
    const text = readFileSync(file('trust.json'), 'utf8');
    expect(JSON.parse(text).chain).toMatchObject({
      total: 2,
      verified: true,
      topic: 'workspace:workspace_default',
    });
    const verify = (...more: string[]) => run('verify', file('trust.json'), ...more);
    expect((await verify()).out).toBe(
      'ok: 2 records by their hashes and links, which anybody can make; no signature was checked, of 2: name the keys with --jwks\n',
    );
    const keys = ['--jwks', file('jwks.json')];
    expect((await verify(...keys)).out).toBe('ok: 2 records, 2 signatures verified\n');
    writeFileSync(file('jwks-of-others.json'), '{"keys":[]}');
    expect((await verify('--jwks', file('jwks-of-others.json'))).out).toContain(
      'failed: signatures at record 0',
    );
    writeFileSync(file('trust.json'), text.replace('"actor_test"', '"somebody"'));
    const { code, out } = await verify('--json', ...keys);
    expect([code, JSON.parse(out)]).toEqual([
      1,
      expect.objectContaining({ ok: false, step: 'compare', index: 0 }),
    ]);
  });

  it('of a file or a workspace that is not there say so', async () => {
    expect(await run('verify', file('absent'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('absent cannot be read'),
    });
    expect(await run('export', 'workspace_absent', ...here())).toMatchObject({
      code: 1,
      err: expect.stringContaining('No workspace with this id'),
    });
  });
});
