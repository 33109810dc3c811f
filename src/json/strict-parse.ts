import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { checkText, decodeUtf8, validUtf8Length } from './decode-utf8.ts';
import type { JsonFault, JsonFaultKind } from './fault.ts';
import { JSON_FAULTS } from './fault.ts';
import { JsonScan, scanJson } from './scan.ts';
import { JsonWalk, type Location, locate } from './walk.ts';

/** Deep enough for every message seen, shallow enough that recursive code (RFC 8785, folds) never overflows. */
export const MAX_JSON_DEPTH = 64;

/** Longer paths help nobody and would let a caller grow the answer. */
const MAX_PATH_LENGTH = 256;

export interface JsonLimits {
  /** Largest text in bytes. */
  maxBytes: number;
  /** Most arrays and objects open at once; MAX_JSON_DEPTH by default. */
  maxDepth?: number;
}

/**
 * Reads JSON that came from outside. Refuses what readers disagree about: bad UTF-8, byte order marks, duplicate
 * names, `__proto__`, inexact numbers, half surrogate pairs, deep nesting. `\u0000` and `-0` are accepted.
 * Throws `payload_too_large` above `maxBytes`, else `invalid_request` with the JSON path as `param` where there is
 * one and the position as `details.byte_offset`; the input is never echoed. The caller corrects the text; a retry
 * as it is fails again.
 */
export function parseStrict(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  return parseDecoded(decoded(bytes, limits), limits.maxDepth ?? MAX_JSON_DEPTH);
}

/** Work that rests after each slice, so that its caller decides when it goes on. */
export type Sliced<Result> = Generator<void, Result, void>;

/** The same as `parseStrict`, `sliceChars` of the text at a time; a long string is read in one slice. */
export function* parseStrictInSlices(
  bytes: Uint8Array,
  limits: JsonLimits,
  sliceChars: number,
): Sliced<JsonValue> {
  const text = decoded(bytes, limits);
  yield;
  return yield* parseDecodedInSlices(text, limits.maxDepth ?? MAX_JSON_DEPTH, sliceChars);
}

/** The same as `parseStrictText`, `sliceChars` of the text at a time. */
export function* parseTextInSlices(text: string, maxDepth: number, sliceChars: number): Sliced<JsonValue> {
  const fault = checkText(text);
  if (fault !== undefined) throw located(text, fault);
  yield;
  return yield* parseDecodedInSlices(text, maxDepth, sliceChars);
}

/** JSON.parse reads a text in one go, so it is walked; and the walk knows the place of what is wrong. */
function* parseDecodedInSlices(text: string, maxDepth: number, sliceChars: number): Sliced<JsonValue> {
  const scan = new JsonScan(text, maxDepth);
  for (let until = sliceChars; !scan.run(until); until += sliceChars) yield;
  const { fault } = scan;
  const walk = new JsonWalk(text, fault?.offset);
  for (let until = sliceChars; !walk.run(until); until += sliceChars) yield;
  if (fault === undefined && walk.stop === undefined) return walk.value;
  throw refusalAt(text, fault ?? SYNTAX, walk.stop);
}

const SYNTAX: JsonFault = { kind: 'syntax', offset: Number.POSITIVE_INFINITY };

function decoded(bytes: Uint8Array, limits: JsonLimits): string {
  if (bytes.length > limits.maxBytes) {
    throw new ProtocolError(
      'payload_too_large',
      `The JSON text exceeds ${limits.maxBytes} bytes. Send less at once.`,
      {
        details: { max_bytes: limits.maxBytes },
      },
    );
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refusal('utf8', '', validUtf8Length(bytes));
  if (text.charCodeAt(0) === 0xfeff) throw refusal('byte_order_mark', '', 0);
  return text;
}

/** The same for a text that is a string already, such as a frame of an event stream; its size is the caller's to cap. */
export function parseStrictText(text: string, maxDepth: number = MAX_JSON_DEPTH): JsonValue {
  const fault = checkText(text);
  if (fault !== undefined) throw located(text, fault);
  return parseDecoded(text, maxDepth);
}

function parseDecoded(text: string, maxDepth: number): JsonValue {
  const fault = scanJson(text, maxDepth);
  if (fault !== undefined) throw located(text, fault);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The message of JSON.parse quotes the input, so it is dropped and the place is found again.
    throw located(text, SYNTAX);
  }
}

/** A grammar violation before the fault is the better explanation: the scan may have misread what follows it. */
function located(text: string, fault: JsonFault): ProtocolError {
  if (fault.kind === 'byte_order_mark') return refusal(fault.kind, '', 0);
  return refusalAt(text, fault, locate(text, fault.offset));
}

function refusalAt(text: string, fault: JsonFault, place: Location | undefined): ProtocolError {
  const kind = place?.violation === true ? 'syntax' : fault.kind;
  const offset = place?.offset ?? Math.min(fault.offset, text.length);
  return refusal(kind, place?.path ?? '', Buffer.byteLength(text.slice(0, offset)));
}

function refusal(kind: JsonFaultKind, path: string, byteOffset: number): ProtocolError {
  return new ProtocolError('invalid_request', JSON_FAULTS[kind], {
    ...(path !== '' && path.length <= MAX_PATH_LENGTH ? { param: path } : {}),
    details: { reason: kind, byte_offset: byteOffset },
  });
}
