import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callMeter, type RateTerms } from '#core/call-meter.ts';
import type { CallMeter, Identity } from '#gateway.ts';

const who = (actor: string, tenant = 't'): Identity => ({
  actor,
  tenant,
  defaultWorkspace: 'w',
  seesInternal: false,
});

/** A meter whose clock the test moves. */
function metered(caller: RateTerms, tenant: RateTerms = {}) {
  const time = { ms: 0 };
  const refused: string[] = [];
  const meter = callMeter({ caller, tenant }, { monotonic: () => time.ms }, (error) =>
    refused.push(error.code),
  );
  if (meter === undefined) throw new Error('it bounds nothing');
  return { time, refused, meter };
}
const passes = (meter: CallMeter, caller: Identity) => meter.take(caller).refused === undefined;
const field = (fields: readonly string[], name: string) => fields[fields.indexOf(name) + 1];

describe('the meter of callers', () => {
  it('is none where nothing is bounded', () => {
    expect(callMeter({ caller: {}, tenant: {} }, { monotonic: () => 0 }, () => undefined)).toBeUndefined();
  });

  it('lets a burst pass, then as many as come in by the clock', () => {
    const { meter, time } = metered({ perSecond: 2, burst: 3 });
    const ada = who('ada');
    expect([1, 2, 3, 4].map(() => passes(meter, ada))).toEqual([true, true, true, false]);
    time.ms = 499;
    expect(passes(meter, ada)).toBe(false);
    time.ms = 500;
    expect([passes(meter, ada), passes(meter, ada)]).toEqual([true, false]);
    // Another actor, and one of the same name elsewhere, have their own.
    expect([passes(meter, who('bob')), passes(meter, who('ada', 'other'))]).toEqual([true, true]);
    time.ms = 1_000_000;
    expect([1, 2, 3, 4].map(() => passes(meter, ada))).toEqual([true, true, true, false]);
  });

  it('says in the standard fields what there is, what is left and when all is there again', () => {
    const { meter } = metered({ perSecond: 0.5, burst: 2 }, { perSecond: 10 });
    const { fields } = meter.take(who('ada'));
    expect(field(fields, 'RateLimit-Policy')).toBe('"caller";q=2;w=4, "tenant";q=10;w=1');
    expect(field(fields, 'RateLimit')).toBe('"caller";r=1;t=2, "tenant";r=9;t=1');
    meter.take(who('ada'));
    const over = meter.take(who('ada'));
    expect(field(over.fields, 'RateLimit')).toBe('"caller";r=0;t=4, "tenant";r=8;t=1');
    expect(over.refused).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 2,
      details: { limit: 'requests_per_second', of: 'caller', retry_after_seconds: 2 },
    });
  });

  it('bounds the callers of a tenant together, and takes nothing from who is refused', () => {
    const { meter, refused } = metered({ perSecond: 1, burst: 1 }, { perSecond: 1, burst: 3 });
    expect(passes(meter, who('ada'))).toBe(true);
    for (let n = 0; n < 5; n += 1) expect(passes(meter, who('ada'))).toBe(false);
    // Five refusals of ada have used up nothing of the tenant.
    expect(['bob', 'cyd', 'dan'].map((actor) => passes(meter, who(actor)))).toEqual([true, true, false]);
    expect(meter.take(who('eve')).refused?.details).toMatchObject({ of: 'tenant' });
    expect(refused).toHaveLength(7);
  });

  it('counts bodies until they are given back, once', () => {
    const { meter, refused } = metered({ bodies: 2 }, { bodies: 3 });
    const give = [meter.hold(who('ada')), meter.hold(who('ada'))];
    expect(() => meter.hold(who('ada'))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ of: 'caller' }) }),
    );
    meter.hold(who('bob'));
    expect(() => meter.hold(who('bob'))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ of: 'tenant' }) }),
    );
    give[0]?.();
    give[0]?.();
    // What the tenant had no room for takes no place of the caller.
    meter.hold(who('bob'));
    expect(() => meter.hold(who('cyd'))).toThrow();
    expect(refused).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
    expect(meter.take(who('ada'))).toEqual({ fields: [] });
  });

  it('never lets more pass than burst and rate allow, whenever they come', () => {
    const steps = fc.array(fc.nat({ max: 900 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, perSecond, burst) => {
          const { meter, time } = metered({ perSecond, burst });
          let passed = 0;
          for (const gap of gaps) {
            time.ms += gap;
            if (passes(meter, who('ada'))) passed += 1;
            expect(passed).toBeLessThanOrEqual(burst + (time.ms / 1000) * perSecond + 1e-6);
          }
        },
      ),
    );
  });

  it('keeps no more than its buckets, however many ask', () => {
    const { meter } = metered({ perSecond: 1, burst: 1 });
    expect([passes(meter, who('first')), passes(meter, who('first'))]).toEqual([true, false]);
    for (let n = 0; n < 10_000; n += 1) meter.take(who(`a${n}`));
    // Forgotten, it begins anew; who asked last is still known.
    expect([passes(meter, who('first')), passes(meter, who('a9999'))]).toEqual([true, false]);
  });
});
