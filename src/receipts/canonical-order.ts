import type { JsonObject, JsonValue } from '../protocol/json.ts';

const SURROGATE = /\p{Surrogate}/u;

/**
 * The same value with members in RFC 8785 order and whole characters, so that JSON.stringify spells it canonically. For
 * members that callers and agents made; what the gateway builds is written in that order.
 */
export function inCanonicalOrder(value: JsonObject): JsonObject {
  return ordered(value) as JsonObject;
}

function ordered(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wholeText(value);
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const sorted: JsonObject = {};
  // The default order of sort is that of UTF-16 code units, which is the one of the RFC.
  for (const name of Object.keys(value).sort()) sorted[wholeText(name)] = ordered(value[name] ?? null);
  return sorted;
}

/** Half surrogate pairs, which have no UTF-8 form, become U+FFFD; an agent may have sent them, or a cut made them. */
export function wholeText(text: string): string {
  return SURROGATE.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}
