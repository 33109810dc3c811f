import { describe, expect, it } from 'vitest';
import { KeyedSemaphore } from '#core/semaphore.ts';
import type { Event } from '#eventlog/event-log.ts';
import {
  deliveryHeaders,
  failureOf,
  HARN_FORM,
  type PostOutcome,
  waitAfter,
} from '#resources/push/delivery.ts';
import type { PushConfig } from '#resources/push/schema.ts';
import { type OutboxDeps, openFold } from '#resources/push/sender.ts';

const answered = (status: number, retryAfterSeconds?: number): PostOutcome => ({
  kind: 'answered',
  status,
  retryAfterSeconds,
});

/** For configs that ask for no token of the gateway. */
function unsigned(): never {
  throw new Error('a token was made');
}

describe('a delivery', () => {
  it.each([
    [answered(200), undefined],
    [answered(204), undefined],
    [answered(302), { reason: 'http 302', isFinal: false }],
    [answered(404), { reason: 'http 404', isFinal: false }],
    [answered(410), { reason: 'http 410', isFinal: true }],
    [answered(503), { reason: 'http 503', isFinal: false }],
    [{ kind: 'failed', reason: 'timeout' } as const, { reason: 'timeout', isFinal: false }],
    [{ kind: 'refused', reason: 'address' } as const, { reason: 'refused: address', isFinal: true }],
  ])('that ended with %o failed with %o', (outcome, failure) => {
    expect(failureOf(outcome)).toEqual(failure);
  });

  it('waits from a second, doubling to an hour, and longer when asked, but no longer than an hour', () => {
    const waits = [1, 2, 3, 12, 13, 100].map((attempts) => waitAfter(attempts, answered(500)));
    expect(waits).toEqual([1_000, 2_000, 4_000, 2_048_000, 3_600_000, 3_600_000]);
    expect(waitAfter(1, answered(429, 30))).toBe(30_000);
    expect(waitAfter(1, answered(429, 1_000_000))).toBe(3_600_000);
  });

  it('carries no header that its config does not ask for', () => {
    const post = { deliveryId: 'd', body: '{}', nowMs: 0 };
    expect(deliveryHeaders(HARN_FORM, {}, post, unsigned)).toEqual({
      'content-type': 'application/json',
      'x-harn-delivery': 'd',
    });
  });

  it('is signed as the contract says, with the time of the attempt', () => {
    const post = { deliveryId: 'd', body: '{"a":1}', nowMs: 1_767_225_600_999 };
    expect(deliveryHeaders(HARN_FORM, { secret: 'a-secret-of-16-bytes' }, post, unsigned)).toMatchObject({
      'x-harn-signature': 't=1767225600,v1=3d122e0588de03c5c0e48ae85aaac75a0b5f5f112b60ab6fb873ee3dfe9ab4ab',
    });
  });
});

describe('what is told of a task', () => {
  it('holds nothing internal, neither of its events nor of itself', () => {
    const hidden = { type: 'text', text: 'thought', visibility: 'internal' };
    const task = { id: 't', input: { parts: [hidden] } };
    const deps = { log: { state: () => ({ resource: task }) }, forms: { harn: HARN_FORM } };
    const fold = openFold(deps as unknown as OutboxDeps, { form: 'harn', task_id: 't' } as PushConfig);
    const bodies = fold({ id: 'e', payload: { parts: [hidden] } } as unknown as Event);
    expect(bodies).toMatchObject([{ task: { id: 't' }, event: { id: 'e' } }]);
    expect(JSON.stringify(bodies)).not.toContain('thought');
  });
});

describe('posts of a tenant', () => {
  it('[X-10] run so many at a time, the others in order, and other tenants beside them', async () => {
    const slots = new KeyedSemaphore(2);
    const log: string[] = [];
    const finish: (() => void)[] = [];
    const post = (tenant: string, name: string) =>
      slots.run(tenant, async () => {
        log.push(`${name} begins`);
        await new Promise<void>((resolve) => finish.push(resolve));
        log.push(`${name} ends`);
      });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const all = [post('a', '1'), post('a', '2'), post('a', '3'), post('a', '4'), post('b', '5')];
    await settled();
    expect(log).toEqual(['1 begins', '2 begins', '5 begins']);
    finish[0]?.();
    await settled();
    expect(log.slice(3)).toEqual(['1 ends', '3 begins']);
    for (let n = 1; n < 5; n += 1) {
      finish[n]?.();
      await settled();
    }
    await Promise.all(all);
    expect(log.filter((line) => line.endsWith('begins'))).toHaveLength(5);
    await slots.run('a', async () => log.push('later'));
    expect(log.at(-1)).toBe('later');
  });
});
