import { ProtocolError } from '../protocol/errors.ts';
import type { JsonValue } from '../protocol/json.ts';
import { checkText, decodeUtf8, validUtf8Length } from './decode-utf8.ts';
import type { JsonFault, JsonFaultKind } from './fault.ts';
import { JSON_FAULTS } from './fault.ts';
import { locate } from './locate.ts';
import { scanJson } from './scan.ts';

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
  return parseDecoded(text, limits.maxDepth ?? MAX_JSON_DEPTH);
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
    throw located(text, { kind: 'syntax', offset: Number.POSITIVE_INFINITY });
  }
}

/** A grammar violation before the fault is the better explanation: the scan may have misread what follows it. */
function located(text: string, fault: JsonFault): ProtocolError {
  if (fault.kind === 'byte_order_mark') return refusal(fault.kind, '', 0);
  const place = locate(text, fault.offset);
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
