import { describe, expect, it } from 'vitest';
import type { Frame } from '#protocol-client.ts';
import { guardsOf, isOutage, maySendElsewhere, UpstreamGuard, wasNotSent } from '#runner/upstream-guard.ts';

const fault = (details: Record<string, string | number>, code = 'upstream_unavailable' as const) => ({
  kind: 'fault' as const,
  code,
  message: 'm',
  details,
});
const REFUSED = fault({ reason: 'refused' });
const LOST = fault({ reason: 'lost' });

function guarded(terms: ConstructorParameters<typeof UpstreamGuard>[0]) {
  const time = { ms: 0 };
  const guard = new UpstreamGuard(terms, { now: () => 1_000_000 + time.ms, monotonic: () => time.ms });
  return { guard, time };
}

const SAID: Frame = { kind: 'message', body: {} };
const OWN: Frame = { kind: 'message', body: {}, own: true };

/** A turn that comes through, and in which this is heard; false where none does. */
function turn(guard: UpstreamGuard, ...frames: Frame[]): boolean {
  const passage = guard.enter();
  for (const frame of frames) passage?.hear(frame);
  passage?.close();
  return passage !== undefined;
}

describe('the circuit breaker of an agent', () => {
  const terms = { route: 'a2a:shop', breaker: { failures: 3, openMs: 1_000 } };

  it('opens after failures in a row, lets one through after its time, and closes when that goes well', () => {
    const { guard, time } = guarded(terms);
    turn(guard, REFUSED);
    turn(guard, REFUSED);
    turn(guard, SAID);
    for (let n = 0; n < 3; n += 1) expect(turn(guard, REFUSED)).toBe(true);
    expect([guard.circuit, turn(guard)]).toEqual(['open', false]);
    expect(guard.sight()).toMatchObject({ circuit: 'open', failures: 3, untilMs: 1_001_000 });
    time.ms = 999;
    expect(turn(guard)).toBe(false);
    time.ms = 1_000;
    const probe = guard.enter();
    expect([guard.circuit, probe !== undefined, turn(guard)]).toEqual(['half_open', true, false]);
    probe?.hear(REFUSED);
    expect([guard.circuit, turn(guard)]).toEqual(['open', false]);
    time.ms = 2_000;
    // Of one that was left nothing is known, and the next one may try.
    expect(turn(guard)).toBe(true);
    expect(turn(guard, SAID)).toBe(true);
    expect(guard.sight()).toMatchObject({ circuit: 'closed', failures: 0, untilMs: undefined });
    expect([turn(guard), turn(guard)]).toEqual([true, true]);
  });

  it('counts turns that begin well and break off, and takes no word of its own for an answer', () => {
    const { guard } = guarded(terms);
    for (const frames of [
      [SAID, LOST],
      [OWN, LOST],
      [OWN, SAID, LOST],
    ])
      expect(turn(guard, ...frames)).toBe(true);
    expect(guard.circuit).toBe('open');
  });

  it('lets others through as soon as the one that tries is answered, and opens again where that breaks off', () => {
    const { guard, time } = guarded(terms);
    for (let n = 0; n < 3; n += 1) turn(guard, REFUSED);
    time.ms = 1_000;
    const probe = guard.enter();
    probe?.hear(OWN);
    expect(turn(guard)).toBe(false);
    probe?.hear(SAID);
    expect([guard.circuit, turn(guard)]).toEqual(['closed', true]);
    probe?.hear(LOST);
    probe?.close();
    expect(guard.circuit).toBe('open');
  });

  it('does not close by the end of what was sent before it opened', () => {
    const { guard } = guarded(terms);
    const old = guard.enter();
    for (let n = 0; n < 3; n += 1) turn(guard, REFUSED);
    old?.hear(SAID);
    old?.close();
    expect(guard.sight()).toMatchObject({ circuit: 'open', failures: 3 });
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
      expect(guard.enter()).toBeDefined();
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
    first?.get('a2a:shop')?.enter()?.hear(REFUSED);
    const next = guardsOf([{ ...shop }, { route: 'acp:coder' }], clock, first);
    expect(next?.get('a2a:shop')?.circuit).toBe('open');
    const other = guardsOf([{ ...shop, fallback: 'a2a:backup' }], clock, next);
    expect(other?.get('a2a:shop')?.circuit).toBe('closed');
    expect(guardsOf([], clock, other)).toBeUndefined();
  });
});
