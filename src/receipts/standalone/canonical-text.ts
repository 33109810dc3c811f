/**
 * The RFC 8785 text of a JSON value: members sorted by UTF-16 code units at every depth, no spaces, numbers and strings as
 * ECMAScript spells them. Throws TypeError for what JSON cannot hold and for half surrogate pairs.
 */
export function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON has no such number');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError('JSON has no such value');
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${quoted(name)}:${canonicalText(member)}`).join(',')}}`;
}

/** With the flag, a pair is one character, so only halves are surrogates. */
const HALF_PAIR = /\p{Surrogate}/u;

function quoted(text: string): string {
  if (HALF_PAIR.test(text)) throw new TypeError('half a surrogate pair has no UTF-8 form');
  return JSON.stringify(text);
}
