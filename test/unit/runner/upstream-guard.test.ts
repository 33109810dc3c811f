import { describe, expect, it } from 'vitest';
import { guardsOf, isOutage, maySendElsewhere, UpstreamGuard, wasNotSent } from '#runner/upstream-guard.ts';

const fault = (details: Record<string, string | number>, code = 'upstream_unavailable' as const) => ({
  kind: 'fault' as const,
  code,
  message: 'm',
  details,
});
const REFUSED = fault({ reason: 'refused' });

function guarded(terms: ConstructorParameters<typeof UpstreamGuard>[0]) {
  const time = { ms: 0 };
  const guard = new UpstreamGuard(terms, { now: () => 1_000_000 + time.ms, monotonic: () => time.ms });
  return { guard, time };
}

describe('the circuit breaker of an agent', () => {
  const terms = { route: 'a2a:shop', breaker: { failures: 3, openMs: 1_000 } };

  it('opens after failures in a row, lets one through after its time, and closes when that goes well', () => {
    const { guard, time } = guarded(terms);
    const fail = () => {
      expect(guard.enter()).toBe(true);
      guard.failed();
    };
    fail();
    fail();
    expect(guard.enter()).toBe(true);
    guard.succeeded();
    for (let n = 0; n < 3; n += 1) fail();
    expect([guard.circuit, guard.enter()]).toEqual(['open', false]);
    expect(guard.sight()).toMatchObject({ circuit: 'open', failures: 3, untilMs: 1_001_000 });
    time.ms = 999;
    expect(guard.enter()).toBe(false);
    time.ms = 1_000;
    expect([guard.circuit, guard.enter(), guard.enter()]).toEqual(['half_open', true, false]);
    guard.failed();
    expect([guard.circuit, guard.enter()]).toEqual(['open', false]);
    time.ms = 2_000;
    expect(guard.enter()).toBe(true);
    // Of one that was left nothing is known, and the next one may try.
    guard.left();
    expect(guard.enter()).toBe(true);
    guard.succeeded();
    expect(guard.sight()).toMatchObject({ circuit: 'closed', failures: 0, untilMs: undefined });
    expect([guard.enter(), guard.enter()]).toEqual([true, true]);
  });

  it('counts what is of the connection or the server, and no refusal', () => {
    expect(isOutage(REFUSED)).toBe(true);
    expect(isOutage(fault({ reason: 'http_status', http_status: 500 }))).toBe(true);
    expect(isOutage({ ...REFUSED, code: 'deadline_exceeded' })).toBe(true);
    for (const status of [400, 404, 429]) expect(isOutage(fault({ http_status: status }))).toBe(false);
    expect(isOutage(fault({ reason: 'aborted' }))).toBe(false);
    for (const code of ['rejected', 'auth_required', 'payload_too_large'] as const)
      expect(isOutage({ ...REFUSED, code })).toBe(false);
  });
});

describe('the retry budget of an agent', () => {
  it('allows a share of its turns, where nothing was sent or the agent asks for it', () => {
    const { guard } = guarded({ route: 'a2a:shop', retries: { share: 0.25, most: 2, pauseMs: 100 } });
    let retried = 0;
    for (let turn = 0; turn < 400; turn += 1) {
      expect(guard.enter()).toBe(true);
      if (guard.retryIn(REFUSED, 0) !== undefined) retried += 1;
    }
    expect(retried).toBe(101);
    expect(guard.sight().retries).toBe(101);
  });

  it('waits as the agent says, else twice as long each time, and not for ever', () => {
    const retries = { share: 1, most: 2, pauseMs: 100 };
    const fresh = () => {
      const { guard } = guarded({ route: 'a2a:shop', retries });
      for (let n = 0; n < 5; n += 1) guard.enter();
      return guard;
    };
    expect([0, 1, 2].map((attempt) => fresh().retryIn(REFUSED, attempt))).toEqual([100, 200, undefined]);
    const busy = (retry_after: string, http_status = 503) => fault({ http_status, retry_after });
    expect(fresh().retryIn(busy('7'), 0)).toBe(7_000);
    expect(fresh().retryIn(busy('31'), 0)).toBeUndefined();
    // It may have done what it was asked.
    expect(fresh().retryIn(fault({ reason: 'lost' }), 0)).toBeUndefined();
    expect(fresh().retryIn(fault({ http_status: 500 }), 0)).toBeUndefined();
    expect(guarded({ route: 'a2a:shop' }).guard.retryIn(REFUSED, 0)).toBeUndefined();
  });
});

describe('another agent', () => {
  it('is sent only what this one has not taken', () => {
    for (const reason of ['refused', 'unreachable', 'connect_timeout', 'not_started'])
      expect(wasNotSent(fault({ reason }))).toBe(true);
    expect(maySendElsewhere(fault({ outcome: 'not_run' }))).toBe(true);
    expect(maySendElsewhere(fault({ http_status: 503 }))).toBe(true);
    for (const details of [
      { reason: 'lost' },
      { http_status: 500 },
      { outcome: 'unknown' },
      { http_status: 400 },
    ])
      expect(maySendElsewhere(fault(details as Record<string, string>))).toBe(false);
  });

  it('has a guard of its own; one whose terms stay keeps what it knows over a reload', () => {
    const clock = { now: () => 0, monotonic: () => 0 };
    const shop = { route: 'a2a:shop', breaker: { failures: 1, openMs: 10 } };
    const first = guardsOf([shop], clock, undefined);
    first?.get('a2a:shop')?.failed();
    const next = guardsOf([{ ...shop }, { route: 'acp:coder' }], clock, first);
    expect(next?.get('a2a:shop')?.circuit).toBe('open');
    const other = guardsOf([{ ...shop, fallback: 'a2a:backup' }], clock, next);
    expect(other?.get('a2a:shop')?.circuit).toBe('closed');
    expect(guardsOf([], clock, other)).toBeUndefined();
  });
});
