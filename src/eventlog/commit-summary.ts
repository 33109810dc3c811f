import { createHash } from 'node:crypto';
import { sha256Hex } from '#json/canonical.ts';
import type { KeyRegistry, Verifier } from '#receipts/key-registry.ts';
import { SUMMARY_KEY } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import type { CommitRecord } from './commit-record.ts';
import type { LogHead } from './event-log.ts';

/** Commits in a row whose events are all removed. Their records are gone; this links the commits before and after them. */
export interface CommitRange {
  from: number;
  through: number;
  /** Hash of the commit before the first, and of the last. */
  prev_hash: string;
  last_hash: string;
  /** Newest event id after the last. */
  event_id: string;
}

/**
 * What stands for the commit records that were removed. `sum` is the set hash of the records that the removed commits had
 * named and not erased: with the records of the other commits it has to give that of everything stored.
 */
export interface CommitSummary {
  /** In order, without neighbours. */
  ranges: CommitRange[];
  /** Standard base64. */
  sum: string;
  key_id: string;
  /** Standard base64 of the Ed25519 signature over the SHA-256 of the JSON of the other members, in this order. */
  signature: string;
}

const LANES = 1_024;
const LANE_BYTES = 2;

/**
 * A hash of a set to which members are added, and from which they are removed, in any order: lanes of 16 bits, added modulo 2^16,
 * of SHAKE-256 of each member. Source: LtHash16, "Securing Update Propagation with Homomorphic Hashing", Lewi and others, 2019.
 */
export class SetHash {
  readonly #lanes: Uint16Array;

  constructor(text?: string) {
    const bytes = text === undefined ? Buffer.alloc(LANES * LANE_BYTES) : Buffer.from(text, 'base64');
    if (bytes.length !== LANES * LANE_BYTES) throw new SyntaxError('A set hash has 2,048 bytes.');
    this.#lanes = Uint16Array.from({ length: LANES }, (_, at) => bytes.readUInt16LE(at * LANE_BYTES));
  }

  add(key: string, sha256: string): void {
    this.#mix(key, sha256, 1);
  }

  remove(key: string, sha256: string): void {
    this.#mix(key, sha256, -1);
  }

  /** Adds what a commit wrote, and removes what it erased or overwrote. */
  take({ records, erased }: Pick<CommitRecord, 'records' | 'erased'>): void {
    for (const [key, sha256] of erased) this.remove(key, sha256);
    for (const [key, sha256] of records) this.add(key, sha256);
  }

  merge(other: SetHash): void {
    for (const [at, lane] of other.#lanes.entries()) this.#lanes[at] = (this.#lanes[at] ?? 0) + lane;
  }

  #mix(key: string, sha256: string, sign: 1 | -1): void {
    const member = createHash('shake256', { outputLength: LANES * LANE_BYTES })
      .update(`${key}\0${sha256}`)
      .digest();
    for (let at = 0; at < LANES; at += 1)
      this.#lanes[at] = (this.#lanes[at] ?? 0) + sign * member.readUInt16LE(at * LANE_BYTES);
  }

  toString(): string {
    const bytes = Buffer.alloc(LANES * LANE_BYTES);
    for (const [at, lane] of this.#lanes.entries()) bytes.writeUInt16LE(lane, at * LANE_BYTES);
    return bytes.toString('base64');
  }

  /** Short enough for a finding. */
  get digest(): string {
    return sha256Hex(this.toString());
  }
}

export function signSummary(
  keys: KeyRegistry,
  unsigned: Omit<CommitSummary, 'key_id' | 'signature'>,
): CommitSummary {
  const key = keys.current();
  const summary = { ...unsigned, key_id: key.keyId };
  return { ...summary, signature: key.sign(signedBytes(summary)).toString('base64') };
}

/** `ok`, or why the signature does not count. */
export function verifySummary(keys: Verifier, { signature, ...summary }: CommitSummary): string {
  return keys.verify(summary.key_id, signedBytes(summary), signature);
}

function signedBytes({ ranges, sum, key_id }: Omit<CommitSummary, 'signature'>): Buffer {
  return Buffer.from(sha256Hex(JSON.stringify({ ranges, sum, key_id })));
}

/** Throws IntegrityError when it is damaged. */
export function readSummary(store: Pick<Store, 'get'>): CommitSummary | undefined {
  const sealed = store.get(SUMMARY_KEY);
  return sealed && JSON.parse(unseal(sealed, SUMMARY_KEY).toString('utf8'));
}

/** The removed commits that follow this head; the log goes on behind them. */
export function rangeAfter(summary: CommitSummary | undefined, head: LogHead): CommitRange | undefined {
  return summary?.ranges.find(({ from }) => from === head.commit + 1);
}

export function headBehind({ through, last_hash, event_id }: CommitRange): LogHead {
  return { commit: through, hash: last_hash, eventId: event_id };
}

/** Adds a range behind or between those that are there, and joins neighbours. */
export function withRange(ranges: readonly CommitRange[], added: CommitRange): CommitRange[] {
  const all = [...ranges, added].sort((a, b) => a.from - b.from);
  const joined: CommitRange[] = [];
  for (const range of all) {
    const before = joined.at(-1);
    if (before === undefined || before.through + 1 !== range.from) joined.push(range);
    else joined[joined.length - 1] = { ...range, from: before.from, prev_hash: before.prev_hash };
  }
  return joined;
}
