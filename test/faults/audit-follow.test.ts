import { afterAll, describe, expect, it } from 'vitest';
import type { AuditLine } from '#resources/audit/schema.ts';
import { Child, killChildren, PROGRAM } from './child-processes.ts';
import { GatewayPlace, KEY } from './gateway-process.ts';

/** A look for new lines is taken once a second. */
const WITHIN = { timeout: 20_000 };

afterAll(killChildren);

describe('audit export --follow', () => {
  it('prints what is there, then each decision once as it comes, over restarts too, until it is stopped', async () => {
    const place = new GatewayPlace();
    let gateway = await place.start();
    const hold = async (name: string) => {
      const { id } = await gateway.client.session();
      await gateway.client.post('/v1/holds', { name, session_ids: [id], reason: 'auditors' });
    };
    await hold('before');
    const words = ['audit', 'export', '--follow', '--data', place.data, '--key', KEY];
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
    await gateway.kill();
    await expect.poll(() => follower.stderr, WITHIN).not.toBe('');
    gateway = await place.start();
    await hold('behind a kill');
    await expect.poll(() => told().length, WITHIN).toBe(3);
    await gateway.stop();
    gateway = await place.start();
    await hold('last');
    await expect.poll(() => told().length, WITHIN).toBe(4);
    expect(new Set(told()).size).toBe(4);
    expect(follower.process.exitCode).toBeNull();
    follower.process.kill('SIGTERM');
    await follower.ended;
    expect(new Set(follower.stderr.trim().split('\n'))).toEqual(
      new Set(['The gateway is away; its lines go on when it is back.']),
    );
    await gateway.stop();
    place.remove();
  }, 90_000);
});
