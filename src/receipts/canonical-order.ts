import type { JsonObject, JsonValue } from '#protocol/json.ts';

const SURROGATE = /\p{Surrogate}/u;

/**
 * The same value with members in RFC 8785 order and whole characters, so that JSON.stringify spells it canonically but for
 * names that are whole numbers, which objects keep first. For members that callers and agents made.
 */
export function inCanonicalOrder(value: JsonObject): JsonObject {
  return ordered(value) as JsonObject;
}

function ordered(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wholeText(value);
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const sorted: JsonObject = {};
  for (const [name, member] of named(value)) sorted[name] = ordered(member);
  return sorted;
}

function named(value: JsonObject): [string, JsonValue][] {
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    wholeText(name),
    member,
  ]);
  // Texts compare by UTF-16 code units, which is the order of the RFC.
  return members.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Half surrogate pairs, which have no UTF-8 form, become U+FFFD; an agent may have sent them, or a cut made them. */
export function wholeText(text: string): string {
  return SURROGATE.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}
