import { type KeyObject, verify as verifyRaw } from 'node:crypto';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import { hasReceiptHash } from '#receipts/stored-receipt-hash.ts';
import { keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { verifyChain } from '#receipts/verify-chain.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';
import { draftedChain, TEST_JWKS } from '../harness/drafted-receipts.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { against, type Work } from './machine.ts';
import { median } from './statistics.ts';

const TARGET_PER_SECOND = 8_000;
const TARGET_HASHED_PER_SECOND = 100_000;
const ROUNDS = 5;

export const receiptVerification: Bench = {
  id: 'P6',
  title: 'verification of receipts on one core',
  async run({ effort, progress }) {
    const count = amount(effort, { quick: 500, normal: 2_000 });
    const receipts = draftedChain(count);
    const stored = receipts.map((receipt) => Buffer.from(canonicalJson(receipt as unknown as JsonValue)));
    const chain: JsonValue[] = stored.map((bytes) => JSON.parse(bytes.toString('utf8')));
    const keys = keysOfJwks(TEST_JWKS);
    const goodSignatures = receipts.map((receipt) => bareSignature(receipt, keys));
    const verify = (with_: typeof keys | undefined) => () => {
      const { ok } = verifyChain(chain, { keys: with_, receipts: 'whole' });
      if (!ok) throw new Error('The chain of the bench does not verify.');
    };
    const signed = perSecond(count, verify(keys));
    progress(`${rate(signed)} with signatures`);
    const links = perSecond(count, verify(undefined));
    progress(`${rate(links)} without`);
    const hashed = perSecond(count, () => {
      for (const [at, { chain: links }] of receipts.entries())
        if (!hasReceiptHash(stored[at] ?? Buffer.alloc(0), links.receipt_hash))
          throw new Error('A receipt of the bench has another hash.');
    });
    const bare = perSecond(count, () => {
      for (const receipt of goodSignatures)
        if (!verifyRaw(null, ...receipt)) throw new Error('A bare signature does not verify.');
    });
    return [
      row(
        'receipts verified with every step, signatures too',
        signed,
        { least: TARGET_PER_SECOND, work: 'ed25519' },
        bare,
      ),
      row('the same without signatures: schema, hash, links, Merkle root', links, undefined),
      row('receipt_hash made again from the stored bytes, as before a tree head is signed', hashed, {
        least: TARGET_HASHED_PER_SECOND,
        work: 'sha256',
      }),
    ];
  },
};

function bareSignature(
  { chain, signatures }: WireReceipt,
  keys: VerificationKeys,
): [message: Buffer, key: KeyObject, signature: Buffer] {
  const [one] = signatures ?? [];
  const key = keys.get(one?.key_id ?? '')?.key;
  if (one === undefined || key === undefined) throw new Error('A receipt of the bench is not signed.');
  return [Buffer.from(chain.receipt_hash), key, Buffer.from(one.signature.slice('base64:'.length), 'base64')];
}

/** Receipts per second of CPU time, which is what one core does; median of the rounds, the first one warms up. */
function perSecond(count: number, run: () => void): number {
  run();
  const rates = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (count / (user + system)) * 1e6;
  });
  return median(rates);
}

const rate = (value: number): string => `${(value / 1000).toFixed(1)} k/s`;

function row(
  what: string,
  measured: number,
  target: { least: number; work: Work } | undefined,
  bare?: number,
): Row {
  return {
    id: 'P6',
    what,
    measured: rate(measured),
    baseline: bare === undefined ? '' : `bare Ed25519 by node:crypto: ${rate(bare)}`,
    ratio: bare === undefined ? undefined : measured / bare,
    target: target === undefined ? '' : `>= ${rate(target.least)}`,
    ...(target === undefined ? { met: undefined } : against(measured, target, target.work)),
    figures: { perSecond: measured },
  };
}
