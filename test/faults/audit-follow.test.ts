import { afterAll, describe, expect, it } from 'vitest';
import type { AuditLine } from '#resources/audit/schema.ts';
import { Child, killChildren, PROGRAM } from './child-processes.ts';
import { GatewayPlace, KEY } from './gateway-process.ts';

/** A look for new lines is taken once a second. */
const WITHIN = { timeout: 20_000 };

afterAll(killChildren);

describe('audit export --follow', () => {
  it('prints what is there, then each decision once as it comes, until it is stopped', async () => {
    const place = new GatewayPlace();
    const gateway = await place.start();
    const hold = async (name: string) => {
      const { id } = await gateway.client.session();
      await gateway.client.post('/v1/holds', { name, session_ids: [id], reason: 'auditors' });
    };
    await hold('before');
    const words = ['audit', 'export', '--follow', '--url', gateway.client.url, '--key', KEY];
    const follower = new Child([PROGRAM, ...words]);
    const told = (): string[] =>
      follower.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as AuditLine).what)
        .filter((what) => what.startsWith('the hold'));
    await expect.poll(told, WITHIN).toEqual(['the hold "before" on 1 sessions']);
    await hold('while it follows');
    await expect
      .poll(told, WITHIN)
      .toEqual(['the hold "before" on 1 sessions', 'the hold "while it follows" on 1 sessions']);
    await hold('last');
    await expect.poll(() => told().length, WITHIN).toBe(3);
    expect(new Set(told()).size).toBe(3);
    expect(follower.process.exitCode).toBeNull();
    follower.process.kill('SIGTERM');
    await follower.ended;
    expect(follower.stderr).toBe('');
    await gateway.stop();
    place.remove();
  }, 90_000);
});
