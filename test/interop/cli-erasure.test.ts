import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditLine } from '#resources/audit/schema.ts';
import type { Erasure } from '#resources/erasure/schema.ts';
import type { Hold } from '#resources/hold/schema.ts';
import type { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { runCommand } from './command-line.ts';

describe('holds, erasures and the audit export on the command line', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ keys: [{ actor: 'ada' }] });
  });
  afterAll(() => gateway.close());

  const run = (...words: string[]) =>
    runCommand([...words, '--url', gateway.url, '--key', gateway.client.key]);

  it('keep a session, let go of it, erase it, and tell who decided so', async () => {
    const { id } = await gateway.client.session();
    const held = await run('holds', 'add', 'case 17', '--session', id, '--reason', 'auditors', '--json');
    const hold = JSON.parse(held.out) as Hold;
    expect((await run('holds', 'list')).out).toContain('case 17');
    const erase = () => run('session', 'erase', id, '--rule', 'a law', '--yes', '--json');
    const refused = await erase();
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('"case 17"')]);
    expect((await run('session', 'erase', id, '--rule', 'a law')).code).toBe(2);
    expect((await run('holds', 'release', hold.id, '--reason', 'over')).out).toContain('released');
    const erasure = JSON.parse((await erase()).out) as Erasure;
    expect(erasure).toMatchObject({ state: 'completed', subject: { id }, rule: 'a law' });
    expect((await run('erasure', 'get', erasure.id)).out).toContain('completed');
    const gone = await run('session', 'get', id);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('was erased')]);
    const { out } = await run('audit', 'export', '--since', '2020-01-01');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    const kinds = lines.map(({ kind }) => kind.replace('vendor.harn_gateway.', ''));
    expect(kinds.filter((kind) => /hold|erasure/.test(kind))).toEqual([
      'hold_created',
      'hold_released',
      'erasure_requested',
      'erasure_completed',
    ]);
  });

  it('erase what an actor left, and say what went', async () => {
    const { id } = await (gateway.clients['ada'] as TestClient).session();
    const rule = ['--rule', 'a law'];
    const usage = await run('erasure', 'actor', 'ada', ...rule);
    expect([usage.code, usage.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run('erasure', 'actor', 'ada', '--yes')).code).toBe(2);
    const unknown = await run('erasure', 'actor', 'ada', ...rule, '--yes', '--workspace', 'workspace_absent');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('workspace')]);
    const { code, out } = await run('erasure', 'actor', 'ada', ...rule, '--yes', '--json');
    expect(code).toBe(0);
    const erasure = JSON.parse(out) as Erasure;
    expect(erasure).toMatchObject({
      state: 'completed',
      subject: { object: 'actor', id: 'ada' },
      of_actor: { sessions: [id], shared: [], held: [] },
    });
    expect((await run('erasure', 'list')).out).toContain(erasure.id);
    const gone = await run('session', 'get', id);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('was erased')]);
  });
});
