import type { components } from '../../client/index.ts';

type Schemas = components['schemas'];

/** What the page itself found out about one receipt. */
export interface Verdict {
  ok: boolean;
  step: 'compare' | 'previous_hash' | 'merkle' | 'signatures' | 'inclusion' | 'head' | 'consistency' | null;
  expected: string;
  observed: string;
}

export interface PublicKey {
  kid: string;
  x: string;
  not_before?: string;
  not_after?: string;
  revoked_at?: string;
}

const encoder = new TextEncoder();
const FINE: Verdict = { ok: true, step: null, expected: '', observed: '' };

/** RFC 8785: members by their UTF-16 units, numbers as JavaScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${canonical(of)}`).join(',')}}`;
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text: string) =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function fromBase64(text: string): Uint8Array {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}

/** Ed25519 of the browser; of a library where the browser has none. */
async function isSigned(key: PublicKey, signature: Uint8Array, bytes: Uint8Array): Promise<boolean> {
  const raw = fromBase64(key.x);
  try {
    const imported = await crypto.subtle.importKey('raw', raw as Uint8Array<ArrayBuffer>, 'Ed25519', false, [
      'verify',
    ]);
    return await crypto.subtle.verify(
      'Ed25519',
      imported,
      signature as Uint8Array<ArrayBuffer>,
      bytes as Uint8Array<ArrayBuffer>,
    );
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    const { verifyAsync } = await import('@noble/ed25519');
    return verifyAsync(signature, bytes, raw);
  }
}

/** RFC 6962, 2.1: the root over leaves, which are hashed already. */
async function rootOf(leaves: readonly Uint8Array[]): Promise<Uint8Array> {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  const [left, right] = await Promise.all([rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))]);
  return sha256(Uint8Array.of(1, ...left, ...right));
}

/** The members of a receipt that its verification reads. */
interface Payload {
  subject: { object: string };
  issued_at: string;
  chain: { receipt_hash: string; previous_receipt_hash?: string | null; merkle_root?: string };
  signatures?: { key_id: string; algorithm: string; signature: string }[];
}

/**
 * Verifies the receipts of one session, oldest first, by their content and the public keys alone: hash, link to the receipt
 * before, root over all before, signatures. After one that fails those that follow cannot be judged.
 * Source: src/receipts/README.md.
 */
export async function verifyChain(
  receipts: readonly Schemas['Receipt'][],
  keys: readonly PublicKey[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const before: Before = { keys, newest: null, hashes: new Set(), leaves: [] };
  for (const { wire } of receipts) {
    const fault = await faultOf(wire.payload as unknown as Payload, before);
    verdicts.push(fault ?? FINE);
    if (fault !== undefined) break;
  }
  return verdicts;
}

interface Before {
  readonly keys: readonly PublicKey[];
  newest: string | null;
  readonly hashes: Set<string>;
  readonly leaves: Uint8Array[];
}

async function faultOf(payload: Payload, before: Before): Promise<Verdict | undefined> {
  const { signatures = [], ...rest } = payload;
  const { receipt_hash: said, ...chain } = payload.chain;
  const hash = `sha256:${hex(await sha256(encoder.encode(canonical({ ...rest, chain }))))}`;
  if (hash !== said) return fault('compare', hash, said);
  const isReplay = payload.subject.object === 'replay_segment';
  const previous = chain.previous_receipt_hash ?? null;
  if (isReplay ? previous !== null && !before.hashes.has(previous) : previous !== before.newest)
    return fault('previous_hash', before.newest, previous);
  const root =
    isReplay || before.leaves.length === 0 ? undefined : `sha256:${hex(await rootOf(before.leaves))}`;
  if (root !== chain.merkle_root) return fault('merkle', root, chain.merkle_root);
  if (signatures.length === 0) return fault('signatures', 'a signature', undefined);
  for (const { key_id, algorithm, signature } of signatures) {
    const key = before.keys.find(({ kid }) => kid === key_id);
    const expected = `a signature by ${key_id}`;
    if (key === undefined) return fault('signatures', expected, 'no such key in /.well-known/jwks.json');
    if (!isInside(key, payload.issued_at, isReplay))
      return fault('signatures', expected, 'outside of the time of the key');
    const bytes = fromBase64(signature.replace(/^base64:/, ''));
    if (algorithm !== 'ed25519' || !(await isSigned(key, bytes, encoder.encode(said))))
      return fault('signatures', expected, 'one that does not fit');
  }
  before.hashes.add(said);
  if (!isReplay) {
    before.newest = said;
    before.leaves.push(await sha256(Uint8Array.of(0, ...fromHex(said.slice('sha256:'.length)))));
  }
  return undefined;
}

/** A replay repeats a recorded time; its key may be younger. */
function isInside({ not_before, not_after, revoked_at }: PublicKey, at: string, isReplay: boolean): boolean {
  const time = Date.parse(at);
  const from = not_before === undefined || isReplay ? Number.NEGATIVE_INFINITY : Date.parse(not_before);
  const until = not_after === undefined ? Number.POSITIVE_INFINITY : Date.parse(not_after);
  const revoked = revoked_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(revoked_at);
  return time >= from && time <= until && time < revoked;
}

function fault(
  step: Verdict['step'],
  expected: string | null | undefined,
  observed: string | null | undefined,
): Verdict {
  return { ok: false, step, expected: expected ?? 'none', observed: observed ?? 'none' };
}

const raw = (hash: string) => fromHex(hash.replace(/^sha256:/, ''));
const named = (bytes: Uint8Array) => `sha256:${hex(bytes)}`;
const nodeOf = (left: Uint8Array, right: Uint8Array) => sha256(Uint8Array.of(1, ...left, ...right));

/** Whether a known key signed this head of the log of all receipts, inside of its time. */
export async function verifyHead(
  { signature, ...head }: Schemas['ReceiptLogHead'],
  keys: readonly PublicKey[],
): Promise<Verdict> {
  const key = keys.find(({ kid }) => kid === head.key_id);
  const expected = `a signature by ${head.key_id}`;
  if (key === undefined) return fault('head', expected, 'no such key in /.well-known/jwks.json');
  if (!isInside(key, head.timestamp, false)) return fault('head', expected, 'outside of the time of the key');
  const bytes = fromBase64(signature.replace(/^base64:/, ''));
  const isGood = await isSigned(key, bytes, encoder.encode(canonical(head)));
  return isGood ? FINE : fault('head', expected, 'one that does not fit');
}

/**
 * Whether a receipt is a leaf of the log with this root: the leaf is hashed here, of the hash that the receipt itself has.
 * Spec: RFC 9162, 2.1.3.2.
 */
export async function verifyInclusion(
  receiptHash: string,
  { index, size, proof }: Pick<Schemas['ReceiptLogInclusion'], 'index' | 'size' | 'proof'>,
  root: string,
): Promise<Verdict> {
  if (index >= size) return fault('inclusion', `a leaf before ${size}`, `leaf ${index}`);
  let [node, last] = [index, size - 1];
  let at = await sha256(Uint8Array.of(0, ...raw(receiptHash)));
  for (const sibling of proof.map(raw)) {
    if (last === 0) return fault('inclusion', 'a proof that ends at the root', 'a longer one');
    if (node % 2 === 1 || node === last) {
      at = await nodeOf(sibling, at);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else at = await nodeOf(at, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && named(at) === root ? FINE : fault('inclusion', root, named(at));
}

/** Whether the log with the second root is the one with the first root, only grown. Spec: RFC 9162, 2.1.4.2. */
export async function verifyConsistency(
  first: { size: number; root: string },
  second: { size: number; root: string },
  given: readonly string[],
): Promise<Verdict> {
  if (first.size > second.size)
    return fault('consistency', `at least ${first.size} leaves`, `${second.size} leaves`);
  if (first.size === 0) return FINE;
  if (first.size === second.size)
    return first.root === second.root && given.length === 0
      ? FINE
      : fault('consistency', first.root, second.root);
  const isPower = Number.isInteger(Math.log2(first.size));
  const [start, ...proof] = [...(isPower ? [raw(first.root)] : []), ...given.map(raw)];
  if (start === undefined) return fault('consistency', 'a proof', 'none');
  let [node, last] = [first.size - 1, second.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let [older, newer]: [Uint8Array, Uint8Array] = [start, start];
  for (const sibling of proof) {
    if (last === 0) return fault('consistency', 'a proof that ends at the root', 'a longer one');
    if (node % 2 === 1 || node === last) {
      [older, newer] = [await nodeOf(sibling, older), await nodeOf(sibling, newer)];
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else newer = await nodeOf(newer, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  if (named(older) !== first.root) return fault('consistency', first.root, named(older));
  return last === 0 && named(newer) === second.root ? FINE : fault('consistency', second.root, named(newer));
}

/** Whether a known key signed the card of this gateway, which is over its content without `signature`. */
export async function verifyCard(
  { signature, ...card }: Schemas['HarnAgentCard'],
  keys: readonly PublicKey[],
): Promise<Verdict> {
  if (signature === null) return fault('signatures', 'a signature', 'none');
  const key = keys.find(({ kid }) => kid === signature.key_id);
  const expected = `a signature by ${signature.key_id}`;
  if (key === undefined) return fault('signatures', expected, 'no such key in /.well-known/jwks.json');
  const bytes = fromBase64(signature.value.replace(/^base64:/, ''));
  const isGood = await isSigned(key, bytes, encoder.encode(canonical(card)));
  return isGood ? FINE : fault('signatures', expected, 'one that does not fit');
}
