import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { readReceipts } from '#receipts/read-receipts.ts';
import { verifyReceipts } from '#receipts/standalone/verify-receipts.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { verifyChain } from '#receipts/verify-chain.ts';
import { verifyFile } from '#receipts/verify-file.ts';
import { flippedLines } from '../harness/flipped-lines.ts';
import { goodChain, JWKS, replayOf } from '../harness/receipt-chains.ts';
import { SPOILS } from '../unit/receipts/bad-chains.ts';
import { SeededRandom } from './seeded-random.ts';

const KEYS = keysOfJwks(JWKS);
const PUBLISHED = JWKS['keys'] as JsonObject[];
const MAX_BYTES = 1 << 20;
const json = (value: unknown) => value as JsonValue;
const verify = (receipts: readonly JsonValue[]) => verifyChain(receipts, { keys: KEYS, receipts: 'whole' });
const brief = ({
  ok,
  step = null,
  index = null,
}: {
  ok: boolean;
  step?: string | null;
  index?: number | null;
}) => ({
  ok,
  step,
  index,
});

/** Where and at which step a chain of six fails that was spoiled at its third receipt; written by hand. */
const VERDICTS: Record<string, [step: string, index: number]> = {
  'one receipt is gone': ['previous_hash', 2],
  'one stands twice': ['previous_hash', 3],
  'two are swapped': ['previous_hash', 2],
  'one of another chain is put in': ['previous_hash', 2],
  'the rest is of another chain': ['previous_hash', 2],
  'a nested member changed': ['compare', 2],
  'a member is added': ['schema', 2],
  'a member is missing': ['schema', 2],
  'it is no object': ['schema', 2],
  'a time is on no day': ['schema', 2],
  'a text is half a character': ['canonicalize', 2],
  'the hash is another': ['compare', 2],
  'the hash is signed but wrong': ['compare', 2],
  'the link leads elsewhere': ['previous_hash', 2],
  'the link is cut': ['previous_hash', 2],
  'the root is another': ['merkle', 2],
  'the root is missing': ['merkle', 2],
  'nobody signed': ['signatures', 2],
  'the signatures are missing': ['signatures', 2],
  'a stranger signed': ['signatures', 2],
  'another than the named key signed': ['signatures', 2],
  'it is signed before its key was there': ['signatures', 2],
  'it is signed after its key had ended': ['signatures', 2],
  'it says that it was signed at another time': ['signatures', 2],
  'the algorithm is another': ['signatures', 2],
  'the signature is of another message': ['signatures', 2],
  'the signature is malleable': ['signatures', 2],
  'the signature is cut': ['signatures', 2],
  'the signature has no prefix': ['signatures', 2],
  'the signature is in the other alphabet': ['signatures', 2],
  'the signature has spaces': ['signatures', 2],
  'the signature has no padding': ['signatures', 2],
  'one good and one bad signature': ['signatures', 2],
};

const WINDOWS = ['it is signed before its key was there', 'it is signed after its key had ended'];

describe('the verification of a receipt chain', () => {
  it('accepts a good chain, over a rotation of its key', () => {
    expect(verify(goodChain(new SeededRandom(1), 9).map(json))).toEqual({
      ok: true,
      step: null,
      index: null,
      expected: null,
      observed: null,
      skipped: [],
    });
    expect(verify([])).toMatchObject({ ok: true });
  });

  it.each(Object.entries(VERDICTS))('[S3-01] names the step and the place when %s', (name, [step, index]) => {
    const random = new SeededRandom(2);
    const verdict = verify(SPOILS[name]?.(goodChain(random, 6), 2, random) ?? []);
    expect(verdict).toMatchObject({ ok: false, step, index });
    expect(verdict.expected).not.toBe(verdict.observed);
  });

  it.each(Object.keys(VERDICTS))('says the same by the command line when %s', (name) => {
    const random = new SeededRandom(2);
    const chain = SPOILS[name]?.(goodChain(random, 6), 2, random) ?? [];
    const { step, ...ours } = verify(chain);
    const { ok, index, expected, observed } = verifyFile(Buffer.from(JSON.stringify(chain)), { keys: KEYS });
    // Half a surrogate pair does not pass the reader of the file.
    if (step === 'canonicalize') expect({ ok, index }).toMatchObject({ ok: false });
    else expect({ ok, index, expected, observed, skipped: [] }).toEqual(ours);
  });

  it.each(WINDOWS)('[S3-03] refuses a right signature when %s', (name) => {
    const random = new SeededRandom(8);
    const verdict = verify(SPOILS[name]?.(goodChain(random, 6), 2, random) ?? []);
    expect(verdict).toMatchObject({ step: 'signatures', index: 2, observed: 'outside_window' });
  });

  it.each([
    ['use', 'enc'],
    ['use', 7],
    ['alg', 'RS256'],
    ['alg', 'HS256'],
    ['alg', null],
  ])('[S3-03] uses no key whose %s says that it is for something else: %j', (member, word) => {
    const jwks = { keys: PUBLISHED.map((key) => ({ ...key, [member]: word })) };
    const chain = goodChain(new SeededRandom(9), 2).map(json);
    const verdict = verifyChain(chain, { keys: keysOfJwks(jwks as never), receipts: 'whole' });
    expect(verdict).toMatchObject({ step: 'signatures', index: 0, observed: 'unknown_key' });
    expect(brief(verifyReceipts(chain, jwks))).toEqual({ ok: false, step: 'signatures', index: 0 });
  });

  it('[S3-03] trusts no set that publishes a private key', () => {
    const [first, ...others] = PUBLISHED;
    const jwks = { keys: [...others, { ...first, d: 'A'.repeat(43) }] };
    expect(() => keysOfJwks(jwks as never)).toThrow(/^keys\[\d\]\.d: /);
    expect(() => verifyReceipts([], jwks)).toThrow('private half');
  });

  it('says what it expected and what it found', () => {
    const chain = goodChain(new SeededRandom(3), 3);
    const [first, second, third] = chain;
    const missing = verify([json(first), json(third)]);
    expect(missing).toMatchObject({
      expected: first?.chain.receipt_hash,
      observed: second?.chain.receipt_hash,
    });
    const changed = { ...first, issued_at: '2026-11-21T10:00:00.001Z' };
    const verdict = verify([json(changed)]);
    expect(verdict).toMatchObject({ step: 'compare', index: 0, observed: first?.chain.receipt_hash });
    expect(verdict.expected).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('takes a replay beside the chain: it follows the receipt of its source and is no link', () => {
    const random = new SeededRandom(4);
    const chain = goodChain(random, 4);
    const replay = replayOf(random.pick(chain.slice(0, 3)), random);
    const whole = [...chain.slice(0, 3), replay, ...chain.slice(3)].map(json);
    expect(verify(whole)).toMatchObject({ ok: true });
    expect(brief(verifyReceipts(whole, JWKS))).toEqual({ ok: true, step: null, index: null });
    expect(verify([json(replay)])).toMatchObject({ step: 'previous_hash', index: 0 });
  });

  it('verifies receipts apart from their chain, and says which steps were left out', () => {
    const [, , third] = goodChain(new SeededRandom(5), 3);
    expect(verifyChain([json(third)], { keys: KEYS, receipts: 'apart' })).toMatchObject({
      ok: true,
      skipped: ['previous_hash', 'merkle'],
    });
    expect(verifyChain([json(third)], { keys: undefined, receipts: 'apart' })).toMatchObject({
      ok: true,
      skipped: ['previous_hash', 'merkle', 'signatures'],
    });
  });

  it('[S3-02] hashes the same for any order of members and any spelling of the same values', () => {
    const [first] = goodChain(new SeededRandom(6), 1);
    const reversed = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    const spelled = JSON.stringify(reversed(json(first)), null, 2)
      .replaceAll('€', '\\u20ac')
      .replace('"total": 0', '"total": -0.0e3');
    expect(verify([JSON.parse(spelled)])).toMatchObject({ ok: true });
  });

  it('agrees with the standalone verifier on verdict, step and place over 1,000 random good and bad chains', () => {
    const random = new SeededRandom(20_261_122);
    const spoils = Object.values(SPOILS);
    const counted = { good: 0, bad: 0 };
    for (let n = 0; n < 1_000; n += 1) {
      const length = random.between(1, 8);
      const good = goodChain(random, length);
      if (random.chance(0.2)) good.push(replayOf(random.pick(good), random));
      const chain = random.chance(0.2)
        ? good.map(json)
        : random.pick(spoils)(good.slice(0, length), random.between(0, length - 1), random);
      const verdict = verify(chain);
      counted[verdict.ok ? 'good' : 'bad'] += 1;
      expect(brief(verifyReceipts(chain, JWKS)), `chain ${n}`).toEqual(brief(verdict));
    }
    expect(counted.good).toBeGreaterThan(150);
    expect(counted.bad).toBeGreaterThan(600);
  }, 120_000);

  it('[S3-01] finds 2,000 single flipped bits in the bytes of a chain, each at the right receipt', () => {
    const random = new SeededRandom(7);
    const chain = goodChain(random, 6);
    const lines = chain.map((receipt) => `${canonicalJson(json(receipt))}\n`);
    for (const { bytes, line, where } of flippedLines(lines, 2_000, random)) {
      const { items, fault } = readReceipts(bytes, MAX_BYTES);
      const verdict = verify(items);
      const found = verdict.ok && fault !== undefined ? items.length : verdict.index;
      expect(found, where).toBe(line);
      expect(isDeepStrictEqual(items, chain)).toBe(false);
    }
  }, 120_000);
});
