import type { JsonValue } from '../protocol/json.ts';

/** The longest escape of a UTF-16 unit, as in `\u0001`; unescaped it has three bytes at most. */
const UNIT_BYTES = 6;
/** The longest number, `-1.2345678901234567e-300`, or a word, with its comma. */
const SHORT_BYTES = 32;
/** Quotes or braces, comma and colon. */
const MARK_BYTES = 4;

/** Bytes of a value as JSON. */
export function jsonSize(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Whether the JSON text of a value has at most `maxBytes` bytes. What is far below that, as nearly everything, is looked at
 * without making the text.
 */
export function fitsAsJson(value: JsonValue, maxBytes: number): boolean {
  return isFarBelow(value, maxBytes) || jsonSize(value) <= maxBytes;
}

/** Counts more than the text can have. */
function isFarBelow(value: JsonValue, maxBytes: number): boolean {
  const open: unknown[] = [value];
  let most = 0;
  for (let item = open.pop(); item !== undefined && most <= maxBytes; item = open.pop()) {
    if (typeof item === 'string') most += item.length * UNIT_BYTES + MARK_BYTES;
    else if (typeof item !== 'object' || item === null) most += SHORT_BYTES;
    else {
      most += MARK_BYTES;
      if (Array.isArray(item)) for (const member of item) open.push(member ?? null);
      else
        for (const name of Object.keys(item)) {
          most += name.length * UNIT_BYTES + MARK_BYTES;
          open.push((item as Record<string, unknown>)[name] ?? null);
        }
    }
  }
  return most <= maxBytes;
}
