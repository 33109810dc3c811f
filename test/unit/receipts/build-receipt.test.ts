import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { buildReceipt, sealReceipt } from '#receipts/build-receipt.ts';
import { decodeReceiptCbor, encodeReceiptCbor } from '#receipts/receipt-cbor.ts';
import { hasReceiptHash } from '#receipts/stored-receipt-hash.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { verifyChain } from '#receipts/verify-chain.ts';
import { wireReceipt } from '#resources/receipt/schema.ts';
import { draftedChain, placeOf, runRecord, TEST_JWKS, TEST_KEY } from '../../harness/drafted-receipts.ts';
import { receiptHash } from '../../harness/receipt-hash.ts';

const keys = keysOfJwks(TEST_JWKS);
const jsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
) as never;
const HALF = 'x\ud800y';

describe('the bytes of a receipt', () => {
  it('are canonical JSON whatever callers and agents put into it, and hash to what they say', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, fc.boolean(), (failure, metadata, isBare) => {
        const run = isBare
          ? runRecord(1, { approvals: [], redactions: [], materials: [], metadata })
          : runRecord(1, { metadata });
        const lifecycle = { ...run.lifecycle, failure };
        const content = buildReceipt({ ...run, lifecycle }, placeOf(1));
        const { bytes, hash } = sealReceipt(content, TEST_KEY);
        const receipt = JSON.parse(bytes.toString('utf8'));
        expect(bytes.toString('utf8')).toBe(canonicalize(receipt));
        expect(receipt.chain.receipt_hash).toBe(hash);
        expect(receiptHash(receipt)).toBe(hash);
        wireReceipt.parse(receipt);
      }),
      { numRuns: 300 },
    );
  });

  it('order names that are whole numbers as text, at every depth, where objects keep them as numbers', () => {
    const numbers = {
      9: 'nine',
      10: { 2: 'two', 11: 'eleven', x: 1 },
      1: 'one',
      4294967295: 'no index',
      a: 0,
    };
    const run = runRecord(1, { metadata: { z: [numbers], 100: 1, 20: 2 } });
    const lifecycle = { ...run.lifecycle, failure: { 5: 1, 40: 2 } };
    const { bytes, hash } = sealReceipt(buildReceipt({ ...run, lifecycle }, placeOf(1)), TEST_KEY);
    const text = bytes.toString('utf8');
    expect(text).toContain('"failure":{"40":2,"5":1}');
    expect(text).toContain(
      '"metadata":{"100":1,"20":2,"z":[{"1":"one","10":{"11":"eleven","2":"two","x":1},"4294967295":"no index","9":"nine","a":0}]}',
    );
    expect(text).toBe(canonicalize(JSON.parse(text)));
    expect(receiptHash(JSON.parse(text))).toBe(hash);
  });

  it('hold whole characters where an agent sent half of one', () => {
    const run = runRecord(1, { metadata: { [HALF]: HALF } });
    const { bytes } = sealReceipt(
      buildReceipt(run, placeOf(1, { issuer: { id: 'i', name: HALF } })),
      TEST_KEY,
    );
    const receipt = JSON.parse(bytes.toString('utf8'));
    expect(receipt.metadata).toEqual({ 'x\ufffdy': 'x\ufffdy' });
    expect(receiptHash(receipt)).toBe(receipt.chain.receipt_hash);
  });

  it('leave out what is absent: strings, empty lists, the root of the first', () => {
    const run = runRecord(1, { approvals: [], redactions: [] });
    const identifiers = { ...run.identifiers, tenantId: null, personaRef: null, traceId: null };
    const place = placeOf(1, { issuer: { id: 'i', name: null } });
    const { bytes } = sealReceipt(buildReceipt({ ...run, identifiers }, place), null);
    const receipt = JSON.parse(bytes.toString('utf8'));
    expect(Object.keys(receipt.identifiers)).toEqual(['session_id', 'task_id', 'workspace_ref']);
    for (const name of ['approvals', 'deltas', 'redactions', 'signatures'])
      expect(receipt).not.toHaveProperty(name);
    expect(receipt.issuer).not.toHaveProperty('name');
    expect(receipt.chain).toEqual({ previous_receipt_hash: null, receipt_hash: expect.any(String) });
  });

  it('verify as a chain, signatures included', () => {
    expect(verifyChain(draftedChain(9) as never, { keys, receipts: 'whole' })).toMatchObject({ ok: true });
  });

  it('hash again to what they name without being parsed, signed or not, and not when a bit of them is another', () => {
    const nested = { chain: { receipt_hash: 'x' }, signatures: [{ a: ',"signatures":[{' }], subject: {} };
    const run = runRecord(1, { metadata: nested });
    for (const key of [TEST_KEY, null]) {
      const { bytes, hash } = sealReceipt(buildReceipt(run, placeOf(1)), key);
      expect(hasReceiptHash(bytes, hash)).toBe(true);
      const covered = bytes.indexOf(',"signatures":[{"algorithm"');
      for (let at = 0; at < (covered < 0 ? bytes.length : covered); at += 1) {
        const other = Buffer.from(bytes);
        other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
        expect(hasReceiptHash(other, hash), `byte ${at}`).toBe(false);
      }
    }
    expect(hasReceiptHash(Buffer.from('{}'), `sha256:${'a'.repeat(64)}`)).toBe(false);
  });

  it('of a replay are the same for the same facts, with deltas, without root, key and signature', () => {
    const replay = {
      deltas: [{ delta_id: 'd1', operation: 'replace' as const, override_key: 'a2a:shop:1', path: '/x' }],
      metadata: { verdict: { status: 'diverged' } },
    };
    const place = placeOf(1, { keyId: null, previousHash: `sha256:${'a'.repeat(64)}` });
    const run = runRecord(1, { subject: { object: 'replay_segment', id: 'task_2' } });
    const [one, other] = [0, 1].map(() => sealReceipt(buildReceipt(run, place, replay), null));
    expect(one).toEqual(other);
    const receipt = JSON.parse(one?.bytes.toString('utf8') ?? '');
    expect(wireReceipt.parse(receipt)).toMatchObject({ deltas: replay.deltas, metadata: replay.metadata });
    expect(receipt.issuer).not.toHaveProperty('public_key_id');
    expect(receipt.chain).not.toHaveProperty('merkle_root');
  });

  it('are hashed as they are written: what memory did to them before is in the hash that is signed', () => {
    const signed: string[] = [];
    const sign = (bytes: Uint8Array) => {
      signed.push(String(bytes));
      return new Uint8Array(64);
    };
    const real = Buffer.from;
    const flip = (text: string) => {
      const bytes = real(text);
      if (text.startsWith('{"approvals"')) bytes[20] = (bytes[20] ?? 0) ^ 1;
      return bytes;
    };
    Buffer.from = ((value: never, ...rest: never[]) =>
      typeof value === 'string' && rest.length === 0 ? flip(value) : real(value, ...rest)) as never;
    const content = buildReceipt(runRecord(1), placeOf(1));
    const sealed = (() => {
      try {
        return sealReceipt(content, { keyId: 'k', sign });
      } finally {
        Buffer.from = real;
      }
    })();
    expect(sealed.bytes.equals(sealReceipt(content, { keyId: 'k', sign }).bytes)).toBe(false);
    expect(hasReceiptHash(sealed.bytes, sealed.hash)).toBe(true);
    expect(signed[0]).toBe(sealed.hash);
  });

  it('find their own hash and signature although approvals and metadata spell the same members', () => {
    const look = { receipt_hash: `sha256:${'0'.repeat(64)}` };
    const chain = { a: 1, ...look };
    const signatures = [{ algorithm: 'ed25519', key_id: 'k', signature: `base64:${'A'.repeat(88)}` }];
    const proof = { chain, signatures, subject: { id: 'x' } };
    const approvals = runRecord(1).approvals.map((approval) => ({ ...approval, quorum_proof: proof }));
    expect(approvals.length).toBeGreaterThan(0);
    const run = runRecord(1, { approvals, metadata: proof });
    const { bytes, hash } = sealReceipt(buildReceipt(run, placeOf(1)), TEST_KEY);
    const receipt = JSON.parse(bytes.toString('utf8'));
    expect(receipt.approvals).toEqual(approvals);
    expect(receipt.metadata).toEqual(proof);
    expect(receipt.chain.receipt_hash).toBe(hash);
    expect(receiptHash(receipt)).toBe(hash);
    expect(verifyChain([receipt] as never, { keys, receipts: 'whole' })).toMatchObject({ ok: true });
  });

  it('are refused with a signature of another length than they have room for', () => {
    const key = { keyId: 'k', sign: () => new Uint8Array(63) };
    expect(() => sealReceipt(buildReceipt(runRecord(1), placeOf(1)), key)).toThrow(RangeError);
  });
});

describe('the CBOR archive of a receipt', () => {
  it('holds the same receipt, which verifies the same', () => {
    const archived = draftedChain(3).map((receipt) => encodeReceiptCbor(receipt as never));
    const back = archived.map(decodeReceiptCbor);
    expect(back).toEqual(draftedChain(3));
    expect(verifyChain(back, { keys, receipts: 'whole' })).toMatchObject({ ok: true });
  });

  it('has one form: members in another order are refused', () => {
    const swapped = Buffer.from('a2616202616101', 'hex');
    expect(() => decodeReceiptCbor(swapped)).toThrow();
    expect(decodeReceiptCbor(Buffer.from('a2616101616202', 'hex'))).toEqual({ a: 1, b: 2 });
  });

  it('refuses what JSON cannot say', () => {
    for (const hex of ['f7', '4101', 'c001', 'fb7ff8000000000000', '9f01ff'])
      expect(() => decodeReceiptCbor(Buffer.from(hex, 'hex'))).toThrow();
  });
});
