import { parseStrict } from '../json/strict-parse.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** What a file of receipts holds. */
export interface ReceiptFile {
  /**
   * `whole`: it says to be a chain from its first receipt on (an array, lines, a bundle). `apart`: one receipt, or the answer of
   * a list, whose receipts need not follow each other.
   */
  receipts: 'whole' | 'apart';
  items: readonly JsonValue[];
  /** The item after these that cannot be read; its place is `items.length`. */
  fault?: string;
}

/**
 * Reads receipts from JSON text: a receipt, a receipt resource, an array of them, the answer of a list, an exported bundle, or
 * one receipt per line. What cannot be read ends the list and is told with its place, because a damaged chain is damaged
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
  if (Array.isArray(value)) return { receipts: 'whole', items: value.map(wireOf) };
  const members = isObject(value) ? value : {};
  if (members['object'] === 'list' && Array.isArray(members['data']))
    return { receipts: 'apart', items: members['data'].map(wireOf) };
  if (Array.isArray(members['receipts']))
    return { receipts: 'whole', items: members['receipts'].map(wireOf) };
  return { receipts: 'apart', items: [wireOf(value)] };
}

/** The receipt inside of a receipt resource (contract C2); anything else as it is. */
function wireOf(value: JsonValue): JsonValue {
  if (!isObject(value) || value['object'] !== 'receipt' || !isObject(value['wire'])) return value;
  return value['wire']['payload'] ?? value;
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
      items.push(wireOf(parseStrict(line, { maxBytes })));
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

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
