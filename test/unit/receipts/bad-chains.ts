import type { JsonValue } from '#protocol/json.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';
import type { SeededRandom } from '../../faults/seeded-random.ts';
import { type Draft, goodChain, REVOKED_MS, sealed, signed } from '../../harness/receipt-chains.ts';

type Spoil = (chain: WireReceipt[], at: number, random: SeededRandom) => JsonValue[];

const json = (value: unknown) => value as JsonValue;
const keyNumber = (receipt: WireReceipt) => Number(receipt.signatures?.[0]?.key_id.slice('key_'.length));
const hashOf = (digit: string) => `sha256:${digit.repeat(64)}`;

/** Changes the receipt at this place, in place of what was there. */
const changed =
  (change: (receipt: WireReceipt, random: SeededRandom) => unknown): Spoil =>
  (chain, at, random) =>
    chain.map((receipt, n) => json(n === at ? change(receipt, random) : receipt));
/** Changes its content and makes a new hash and a right signature for it. */
const resealed = (change: (draft: Draft) => Draft, by?: number): Spoil =>
  changed(({ signatures, ...draft }) => sealed(change(draft), by ?? keyNumber({ ...draft, signatures })));
const withSignature = (edit: (base64: string) => string): Spoil =>
  changed((receipt) => {
    const [one] = receipt.signatures ?? [];
    return { ...receipt, signatures: [{ ...one, signature: edit(one?.signature ?? '') }] };
  });
const withLinks = (links: Partial<WireReceipt['chain']>): Spoil =>
  resealed((draft) => ({ ...draft, chain: { ...draft.chain, ...links } }));

const ORDER_OF_THE_CURVE = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The second signature that fits the same message where S is not held below the order. Spec: RFC 8032, section 8.4. */
function malleable(signature: string): string {
  const bytes = Buffer.from(signature.slice('base64:'.length), 'base64');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + ORDER_OF_THE_CURVE;
  const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return `base64:${Buffer.concat([bytes.subarray(0, 32), other]).toString('base64')}`;
}

/** Ways in which a chain goes bad, by hand and by chance. */
export const SPOILS: Readonly<Record<string, Spoil>> = {
  'one receipt is gone': (chain, at) => chain.toSpliced(at, 1).map(json),
  'one stands twice': (chain, at) => chain.toSpliced(at, 0, ...chain.slice(at, at + 1)).map(json),
  'two are swapped': (chain, at) => chain.toSpliced(at, 2, ...chain.slice(at, at + 2).reverse()).map(json),
  'one of another chain is put in': (chain, at, random) =>
    chain.toSpliced(at, 0, ...goodChain(random, at + 1).slice(at)).map(json),
  'the rest is of another chain': (chain, at, random) =>
    [...chain.slice(0, at), ...goodChain(random, chain.length).slice(at)].map(json),
  'a nested member changed': changed((receipt) => ({ ...receipt, metadata: { nested: { deep: [{}] } } })),
  'a member is added': changed((receipt) => ({ ...receipt, extra: 1 })),
  'a member is missing': changed(({ trust: _trust, ...rest }) => rest),
  'it is no object': changed((_, random) => random.pick([null, 1, 'x', []])),
  'a time is on no day': changed((receipt) => ({ ...receipt, issued_at: '2026-02-29T00:00:00Z' })),
  'a text is half a character': resealedText('\ud800'),
  'the hash is another': changed((receipt) => ({
    ...receipt,
    chain: { ...receipt.chain, receipt_hash: hashOf('0') },
  })),
  'the hash is signed but wrong': changed((receipt) =>
    signed({ ...receipt, chain: { ...receipt.chain, receipt_hash: hashOf('1') } }, keyNumber(receipt)),
  ),
  'the link leads elsewhere': withLinks({ previous_receipt_hash: hashOf('2') }),
  'the link is cut': withLinks({ previous_receipt_hash: null }),
  'the root is another': withLinks({ merkle_root: hashOf('3') }),
  'the root is missing': resealed(({ chain: { merkle_root: _root, ...links }, ...draft }) => ({
    ...draft,
    chain: links,
  })),
  'nobody signed': changed((receipt) => ({ ...receipt, signatures: [] })),
  'the signatures are missing': changed(({ signatures: _signatures, ...rest }) => rest),
  'a stranger signed': resealed(
    ({ issuer: { public_key_id: _key, ...issuer }, ...draft }) => ({ ...draft, issuer }),
    2,
  ),
  'another than the named key signed': resealed((draft) => ({
    ...draft,
    issuer: { ...draft.issuer, public_key_id: 'key_9' },
  })),
  'it is signed before its key was there': resealed((draft) => ({
    ...draft,
    issued_at: '2020-01-01T00:00:00.000Z',
  })),
  'it is signed after its key had ended': resealed(
    (draft) => ({ ...draft, issued_at: new Date(REVOKED_MS).toISOString() }),
    0,
  ),
  'it says that it was signed at another time': changed((receipt) => ({
    ...receipt,
    signatures: receipt.signatures?.map((one) => ({ ...one, signed_at: '2020-01-01T00:00:00Z' })),
  })),
  'the algorithm is another': changed((receipt) => ({
    ...receipt,
    signatures: receipt.signatures?.map((one) => ({ ...one, algorithm: 'Ed25519' })),
  })),
  'the signature is of another message': withSignature((text) =>
    text.replace(/:./, (found) => (found === ':A' ? ':B' : ':A')),
  ),
  'the signature is malleable': withSignature(malleable),
  'the signature is cut': withSignature((text) => text.slice(0, -8)),
  'the signature has no prefix': withSignature((text) => text.slice('base64:'.length)),
  'the signature is in the other alphabet': withSignature(
    (text) => `base64:${Buffer.from(text.slice(7), 'base64').toString('base64url')}`,
  ),
  'the signature has spaces': withSignature((text) => `${text} `),
  'the signature has no padding': withSignature((text) => text.replace(/=+$/, '')),
  'one good and one bad signature': changed((receipt) => ({
    ...receipt,
    signatures: [
      ...(receipt.signatures ?? []),
      { key_id: 'key_1', algorithm: 'ed25519', signature: 'base64:AAAA' },
    ],
  })),
  'bits of its text flipped': (chain, at, random) => {
    const receipt = chain[at];
    return chain.map((one, n) => (n === at && receipt ? flipped(receipt, random) : json(one)));
  },
};

function resealedText(text: string): Spoil {
  // It has no canonical text, so it keeps its old hash.
  return changed((receipt) => ({ ...receipt, metadata: { text } }));
}

/** The receipt with one bit of its text flipped, so that it is still JSON. */
function flipped(receipt: WireReceipt, random: SeededRandom): JsonValue {
  const text = Buffer.from(JSON.stringify(receipt));
  for (;;) {
    const bytes = Buffer.from(text);
    const at = random.between(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
    const other = parsed(bytes.toString('utf8'));
    if (other !== undefined) return other;
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON any more: no chain of receipts can hold it.
    return undefined;
  }
}
