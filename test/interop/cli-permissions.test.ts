import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RememberRule } from '#resources/permission-rule/schema.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { runCommand } from './command-line.ts';

describe('permission rules on the command line', () => {
  let gateway: TestGateway;
  let session = '';
  const dir = mkdtempSync(join(tmpdir(), 'harn-permissions-'));

  beforeAll(async () => {
    gateway = await startTestGateway({ config: { policy: { remember: { act_auto: 'workspace' } } } });
    session = (await gateway.client.session()).id;
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const run = (...words: string[]) =>
    runCommand(['permission', ...words, '--url', gateway.url, '--key', gateway.client.key]);
  const about = ['--session', '', '--actor', 'actor_test', '--class', 'write', '--action', 'files__write'];
  const check = (target: string, ...more: string[]) =>
    run('check', ...about.with(1, session), '--target', target, ...more);

  it('the policy is shown, and replaced by a document', async () => {
    expect((await run('policy')).out).toBe('policy-42555047047904e9fb6d11ec\n');
    const file = join(dir, 'policy.json');
    writeFileSync(file, JSON.stringify({ read: ['src/**'], redact: { logs: ['x'] } }));
    const { code, out } = await run('policy', '--set', file);
    expect([code, out.split('\n').slice(1)]).toEqual([
      0,
      ['  read: src/**', '  redact.logs: x  (not enforced)', ''],
    ]);
    expect(JSON.parse((await run('policy', '--json')).out)).toMatchObject({ policy: { read: ['src/**'] } });
  });

  it.each([
    ['{', 2, 'is no JSON'],
    [JSON.stringify({ read: ['['] }), 1, 'read[0]'],
  ])('a policy that is %s ends with %d and says why', async (text, expected, words) => {
    const file = join(dir, 'faulty.json');
    writeFileSync(file, text);
    const { code, err } = await run('policy', '--set', file);
    expect([code, err]).toEqual([expected, expect.stringContaining(words)]);
    expect((await run('policy', '--set', join(dir, 'absent.json'))).code).toBe(2);
  });

  it('a rule is made, listed, checked against and revoked', async () => {
    const place = ['--for', session, '--class', 'write', '--action', 'files__*', '--target', 'src/**'];
    expect((await run('rules', 'add', ...place)).code).toBe(2);
    const made = JSON.parse((await run('rules', 'add', ...place, '--deny', '--json')).out) as RememberRule;
    expect(made).toMatchObject({ scope: 'session', scope_value: session, allow: false });
    const { out } = await run('rules', 'list');
    expect(out).toContain(made.id);
    expect(out).toContain('deny');
    const denied = await check('src/a.ts');
    expect(denied.code).toBe(1);
    expect(denied.out).toContain(`denied  by ${made.id} (session)`);
    const asked = await check('test/a.ts');
    expect([asked.code, asked.out]).toEqual([0, 'suspend  ask user\n']);
    expect(JSON.parse((await check('src/a.ts', '--json')).out)).toMatchObject({
      decision: { outcome: 'denied' },
    });
    expect((await run('rules', 'revoke', made.id)).code).toBe(0);
    expect((await run('rules', 'list')).out).toBe('');
    expect((await run('rules', 'revoke', made.id)).code).toBe(1);
  });

  it('the history tells of answers, newest first', async () => {
    const { out } = await run('history', '--session', session, '--json');
    const entries = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string });
    expect(entries.map(({ outcome }) => outcome)).toEqual(['escalated', 'denied']);
    expect((await run('history', '--outcome', 'denied')).out).toContain('files__write');
  });
});
