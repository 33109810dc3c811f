import { canonicalJson } from '#json/canonical.ts';
import { parseStrict } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { TrustRecord } from '#resources/trust/schema.ts';
import { reviewsOf, TrustChainVerifier, type TrustFault } from './trust-chain.ts';
import type { VerificationKeys } from './verification-keys.ts';

/** Words of an export. Those of 0.1 carry records of 0.1. */
const CHAIN_SCHEMAS: readonly unknown[] = ['opentrustgraph-chain/v0', 'opentrustgraph-chain/v0.1'];

/** What a file of trust records shows. */
export interface TrustVerdict {
  ok: boolean;
  /** Where it fails; null for a chain that verifies. */
  step: TrustFault['step'] | 'file' | 'total' | 'root_hash' | null;
  /** Place of the record that fails, from 0; null where it is no single one. */
  index: number | null;
  expected: string | null;
  observed: string | null;
  records: number;
  /** `entry_hash` of the last record that verifies; null for none. */
  root_hash: string | null;
  /** Signatures of reviewers: verified with the keys given, and those that name no key or were not asked about. */
  signatures: { verified: number; unchecked: number };
}

/** An export of a chain: how long it is, and where it ends. Source: OpenTrustGraph v0, TrustChainExport. */
interface Summary {
  topic?: JsonValue;
  total?: JsonValue;
  root_hash?: JsonValue;
}

/**
 * Verifies one chain of trust records, of this gateway or of others, from its first record on: an export, an array, lines of
 * JSON, or the answer of a list (newest first). Without `keys` hashes and links only. Never throws for the content of a file.
 */
export function verifyTrustFile(bytes: Buffer, keys: VerificationKeys | undefined): TrustVerdict {
  const verdict: TrustVerdict = {
    ok: false,
    step: 'file',
    index: null,
    expected: 'records of one chain: an export, an array, lines, or a list answer, as JSON',
    observed: null,
    records: 0,
    root_hash: null,
    signatures: { verified: 0, unchecked: 0 },
  };
  const read = recordsOf(bytes);
  if (typeof read === 'string') return { ...verdict, observed: read };
  const verifier = new TrustChainVerifier(undefined, keys);
  for (const [index, record] of read.records.entries()) {
    const fault = strangerTo(read.summary, record) ?? verifier.take(Buffer.from(canonicalJson(record)));
    if (fault) return { ...verdict, ...fault, index, records: verifier.count };
    verdict.root_hash = verifier.head;
    count(verdict.signatures, record, keys);
  }
  const found = { total: verifier.count, root_hash: verifier.head };
  for (const step of ['total', 'root_hash'] as const) {
    const said = read.summary[step];
    if (said !== undefined && said !== found[step])
      return {
        ...verdict,
        step,
        expected: String(said),
        observed: String(found[step]),
        records: found.total,
      };
  }
  return { ...verdict, ok: true, step: null, expected: null, records: found.total };
}

/** The records in the order of their chain, or what is wrong with the file. */
function recordsOf(bytes: Buffer): { records: JsonValue[]; summary: Summary } | string {
  const value = read(bytes);
  if (value instanceof ProtocolError) return linesOf(bytes) ?? value.message;
  if (Array.isArray(value)) return { records: value, summary: {} };
  if (!isObject(value)) return 'neither an array nor an object';
  if (Array.isArray(value['data'])) return { records: value['data'].toReversed(), summary: {} };
  if (!Array.isArray(value['records'])) return { records: [value], summary: {} };
  const { schema, chain } = value;
  if (!CHAIN_SCHEMAS.includes(schema)) return `an export of schema ${canonicalJson(schema ?? null)}`;
  if (!isObject(chain)) return 'an export without its chain';
  return { records: value['records'], summary: chain };
}

/** Undefined for a file that is not lines of JSON. */
function linesOf(bytes: Buffer): { records: JsonValue[]; summary: Summary } | undefined {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const records: JsonValue[] = lines.flatMap((line) => {
    const record = read(Buffer.from(line));
    return record instanceof ProtocolError ? [] : [record];
  });
  return records.length > 0 && records.length === lines.length ? { records, summary: {} } : undefined;
}

function read(bytes: Buffer): JsonValue | ProtocolError {
  try {
    return parseStrict(bytes, { maxBytes: bytes.length });
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

/** A record that says of what chain it is belongs to no other one. */
function strangerTo({ topic }: Summary, record: JsonValue): TrustFault | undefined {
  const own = isObject(record) && isObject(record['metadata']) ? record['metadata']['topic'] : undefined;
  if (typeof own !== 'string' || topic === undefined || own === topic) return undefined;
  return { step: 'chain', expected: String(topic), observed: own };
}

/** Of a record that was found to be in shape. */
function count(signatures: TrustVerdict['signatures'], record: JsonValue, keys: unknown): void {
  for (const { key_id } of reviewsOf((record as unknown as TrustRecord).metadata as JsonObject))
    signatures[keys === undefined || key_id === undefined ? 'unchecked' : 'verified'] += 1;
}
