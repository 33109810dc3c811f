import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { type Review, type ReviewStatement, type TrustRecord, trustRecord } from '#resources/trust/schema.ts';
import type { ReceiptKey } from './build-receipt.ts';
import { type VerificationKeys, verifySignature } from './verification-keys.ts';

const SIGNATURE_PREFIX = 'base64:';

/** Signs the RFC 8785 bytes of a statement. */
export function signReview(statement: ReviewStatement, key: ReceiptKey): Review {
  const signature = Buffer.from(key.sign(bytesOf(statement))).toString('base64');
  return {
    ...statement,
    algorithm: 'ed25519',
    key_id: key.keyId,
    signature: SIGNATURE_PREFIX + signature,
  };
}

/** Completes a record with its hash over the RFC 8785 bytes of all else. Throws TypeError for what JSON cannot hold. */
export function sealTrustRecord(content: Omit<TrustRecord, 'entry_hash'>): TrustRecord {
  return { ...content, entry_hash: entryHash(content) };
}

function entryHash(content: Omit<TrustRecord, 'entry_hash'>): string {
  return `sha256:${sha256Hex(canonicalJson(content as unknown as JsonObject))}`;
}

/** Where a record fails, and what was expected there. */
export interface TrustFault {
  step:
    | 'schema'
    | 'canonicalize'
    | 'compare'
    | 'chain'
    | 'previous_hash'
    | 'chain_index'
    | 'effects'
    | 'actor_chain'
    | 'signatures';
  expected: string;
  observed: string;
}

/** Verifies the records of one chain in their order, from the first one on. */
export class TrustChainVerifier {
  readonly #topic: string | undefined;
  readonly #parents = new Map<string, JsonObject>();
  readonly #keys: VerificationKeys | undefined;
  #count = 0;
  #head: string | null = null;

  /**
   * `topic`: the name of the chain, which each of its records has in its metadata; undefined for a chain of others. Without
   * `keys` signatures are not verified.
   */
  constructor(topic: string | undefined, keys: VerificationKeys | undefined) {
    this.#topic = topic;
    this.#keys = keys;
  }

  get count(): number {
    return this.#count;
  }

  get head(): string | null {
    return this.#head;
  }

  /** The first step at which the next record fails; undefined for a good one. Never throws. */
  take(bytes: Buffer): TrustFault | undefined {
    const read = readRecord(bytes);
    if (!('record' in read)) return read;
    const { record } = read;
    const fault = this.#link(record) ?? this.#parent(record) ?? this.#signatures(record);
    this.#count += 1;
    this.#head = record.entry_hash;
    return fault;
  }

  #link(record: TrustRecord): TrustFault | undefined {
    const topic = record.metadata['topic'];
    if (this.#topic !== undefined && topic !== this.#topic) return fault('chain', this.#topic, topic ?? null);
    if (record.chain_index !== this.#count + 1)
      return fault('chain_index', this.#count + 1, record.chain_index);
    if (record.previous_hash !== this.#head) return fault('previous_hash', this.#head, record.previous_hash);
    return undefined;
  }

  /** A record may not use more than its parent granted, and is acted one hop further. Source: OpenTrustGraph v0.1. */
  #parent({ schema, record_id, metadata }: TrustRecord): TrustFault | undefined {
    if (schema !== 'opentrustgraph/v0.1') return undefined;
    this.#parents.set(record_id, metadata);
    const { parent_record_id: id } = metadata;
    const parent = typeof id === 'string' ? this.#parents.get(id) : undefined;
    if (parent === undefined) return undefined;
    const granted = wordsIn(parent['effects_grant']);
    const beyond = wordsIn(metadata['effects_used'])?.find((word) => granted?.includes(word) === false);
    if (beyond !== undefined) return fault('effects', granted?.join(', ') ?? '', beyond);
    const [hops, before] = [hopsOf(metadata['actor_chain']), hopsOf(parent['actor_chain'])];
    if (hops === 0 || before === 0 || hops === before + 1) return undefined;
    return fault('actor_chain', `${before + 1} hops`, `${hops} hops`);
  }

  #signatures({ metadata }: TrustRecord): TrustFault | undefined {
    if (this.#keys === undefined) return undefined;
    for (const review of reviewsOf(metadata)) {
      const { algorithm, key_id, signature, ...statement } = review;
      // What others signed in a form of their own is part of the hash, and no more.
      if (this.#topic === undefined && key_id === undefined) continue;
      const verdict = verifySignature(this.#keys, {
        keyId: key_id,
        bytes: bytesOf(statement),
        signature: signature.slice(SIGNATURE_PREFIX.length),
        timesMs: [Date.parse(statement.signed_at)],
      });
      if (verdict !== 'ok') return fault('signatures', `${algorithm} by ${key_id}`, verdict);
    }
    return undefined;
  }
}

/** Each entry as its RFC 8785 text; undefined where no list is given, which limits nothing. */
function wordsIn(list: JsonValue | undefined): string[] | undefined {
  return Array.isArray(list) ? list.map((word) => canonicalJson(word)) : undefined;
}

/** Actors of a chain of `sub` and `act`, as RFC 8693 nests them. */
function hopsOf(chain: JsonValue | undefined): number {
  let hops = 0;
  for (let at = chain; isObject(at) && typeof at['sub'] === 'string'; at = at['act']) hops += 1;
  return hops;
}

function readRecord(bytes: Buffer): { record: TrustRecord } | TrustFault {
  const value = parsed(bytes);
  const checked = trustRecord.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return fault('schema', 'a TrustRecord', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { entry_hash, ...content } = checked.data;
  if (canonicalJson(value as JsonValue) !== bytes.toString('utf8'))
    return fault('canonicalize', 'RFC 8785 bytes', 'other bytes');
  const expected = entryHash(content);
  return entry_hash === expected ? { record: checked.data } : fault('compare', expected, entry_hash);
}

/** Of an approval, or of a denial. Those of others may lack what ours have. */
export function reviewsOf({ approval, denial }: JsonObject): Review[] {
  const signatures = (approval as { signatures?: Review[] } | undefined)?.signatures ?? [];
  return denial === undefined ? signatures : [...signatures, denial as unknown as Review];
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function bytesOf(statement: ReviewStatement): Buffer {
  return Buffer.from(canonicalJson(statement as unknown as JsonObject));
}

function fault(step: TrustFault['step'], expected: JsonValue, observed: JsonValue): TrustFault {
  return { step, expected: String(expected), observed: String(observed) };
}
