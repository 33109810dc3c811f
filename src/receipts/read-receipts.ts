import { parseStrict, parseStrictText } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { BUNDLE_TYPE } from '#resources/bundle/session-bundle-schema.ts';
import { receiptSummary } from '#resources/receipt/schema.ts';

/** What a file of receipts holds. */
export interface ReceiptFile {
  /**
   * `whole`: it says to be a chain from its first receipt on (an array, lines, a bundle). `apart`: one receipt, or the answer of
   * a list, whose receipts need not follow each other.
   */
  receipts: 'whole' | 'apart';
  items: readonly JsonValue[];
  /** It is a session bundle, which may be signed as a whole. */
  isBundle?: true;
  /** Public keys that a bundle brings, a JWKS document: they prove that it is whole, not whose it is. */
  keys?: JsonValue;
  /** What the file brings to place its receipts in the receipt log. */
  proofs?: BroughtProofs;
  /** The item after these that cannot be read; its place is `items.length`. */
  fault?: string;
}

/** A head of the receipt log, and proofs for its size: one for each receipt, and one that it grew from an earlier head. */
export interface BroughtProofs {
  head?: JsonValue;
  inclusion?: readonly JsonValue[];
  consistency?: JsonValue;
}

/**
 * Reads receipts from JSON text: a receipt, a receipt resource, an array of them, the answer of a list, an exported bundle, or
 * one receipt per line. What cannot be read ends the list and is reported with its place, because a damaged chain is damaged
 * somewhere. Throws ProtocolError (`payload_too_large`) above `maxBytes`.
 */
export function readReceipts(bytes: Buffer, maxBytes: number): ReceiptFile {
  if (isLines(bytes)) return readLines(bytes, maxBytes);
  try {
    return receiptsOf(parseStrict(bytes, { maxBytes }));
  } catch (error) {
    return { receipts: 'apart', items: [], fault: faultOf(error) };
  }
}

/** The same for a value that is decoded already. */
export function receiptsOf(value: JsonValue): ReceiptFile {
  if (Array.isArray(value)) return listed('whole', value);
  const members = isObject(value) ? value : {};
  if (members['object'] === 'list' && Array.isArray(members['data'])) return listed('apart', members['data']);
  if (members['_type'] === BUNDLE_TYPE) return ofBundle(members);
  if (Array.isArray(members['receipts']))
    return { ...listed('whole', members['receipts']), proofs: proofsOf(members) };
  return listed('apart', [value]);
}

function proofsOf({ head, inclusion, consistency }: JsonObject): BroughtProofs {
  return {
    ...(head === undefined ? {} : { head }),
    ...(Array.isArray(inclusion) ? { inclusion } : {}),
    ...(consistency === undefined ? {} : { consistency }),
  };
}

function listed(receipts: ReceiptFile['receipts'], values: readonly JsonValue[]): ReceiptFile {
  const items: JsonValue[] = [];
  for (const value of values) {
    const { item, fault } = unwrapped(value);
    if (fault !== undefined) return { receipts, items, fault };
    items.push(item);
  }
  return { receipts, items };
}

/** A session bundle brings them as the text of their canonical bytes. */
function ofBundle({ metadata }: JsonObject): ReceiptFile {
  const { receipts, signing_keys: keys } = isObject(metadata) ? metadata : {};
  const brought = { isBundle: true as const, ...(keys === undefined ? {} : { keys }) };
  const items: JsonValue[] = [];
  for (const text of Array.isArray(receipts) ? receipts : []) {
    try {
      items.push(typeof text === 'string' ? parseStrictText(text) : text);
    } catch (error) {
      return { receipts: 'whole', items, fault: faultOf(error), ...brought };
    }
  }
  return { receipts: 'whole', items, ...brought };
}

/** The receipt inside of a receipt resource; anything else as it is. */
function unwrapped(value: JsonValue): { item: JsonValue; fault?: string } {
  if (!isObject(value) || value['object'] !== 'receipt' || !isObject(value['wire'])) return { item: value };
  const item = value['wire']['payload'] ?? value;
  const member = isObject(item) && item !== value ? contradiction(value, item) : undefined;
  return member === undefined
    ? { item }
    : { item, fault: `${member}: the resource says something else than the receipt in it` };
}

/** The first member of the resource that says another thing than the receipt, which alone is signed. */
function contradiction(resource: JsonObject, receipt: JsonObject): string | undefined {
  const at = (name: string) => (isObject(receipt[name]) ? receipt[name] : {});
  const [identifiers, subject] = [at('identifiers'), at('subject')];
  const said: Readonly<Record<string, JsonValue | undefined>> = {
    id: receipt['receipt_id'],
    workspace_id: identifiers['workspace_ref'],
    session_id: identifiers['session_id'],
    task_id: identifiers['task_id'],
    issuer: at('issuer')['id'],
    summary: receiptSummary(
      String(subject['object']),
      String(subject['id']),
      String(at('lifecycle')['final_state']),
    ),
  };
  const own = isObject(resource['subject']) ? resource['subject'] : {};
  if (own['object'] !== subject['object'] || own['id'] !== subject['id']) return 'subject';
  return Object.keys(said).find((name) => resource[name] !== said[name]);
}

const LINE_FEED = 0x0a;

/** Whether a first line is followed by another one, and is a value of its own. */
function isLines(bytes: Buffer): boolean {
  const end = bytes.indexOf(LINE_FEED);
  if (end < 0 || bytes.subarray(end).toString('utf8').trim() === '') return false;
  const first = bytes.subarray(0, end).toString('utf8').trim();
  return first.startsWith('{') && first.length > 1;
}

function readLines(bytes: Buffer, maxBytes: number): ReceiptFile {
  const items: JsonValue[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.toString('utf8').trim() === '') continue;
    try {
      const { item, fault } = unwrapped(parseStrict(line, { maxBytes }));
      if (fault !== undefined) return { receipts: 'whole', items, fault };
      items.push(item);
    } catch (error) {
      return { receipts: 'whole', items, fault: faultOf(error) };
    }
  }
  return { receipts: 'whole', items };
}

function faultOf(error: unknown): string {
  const fault = ProtocolError.from(error);
  if (fault.code !== 'invalid_request') throw fault;
  return fault.param === undefined ? fault.message : `${fault.param}: ${fault.message}`;
}
