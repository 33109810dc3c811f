import canonicalize from 'canonicalize';
import type { JsonValue } from '../protocol/json.ts';

/**
 * The RFC 8785 spelling of a value: the only one that is hashed or signed.
 * Throws TypeError for what JSON cannot hold (undefined, functions, NaN, infinity, half surrogate pairs, cycles).
 */
export function canonicalJson(value: JsonValue): string {
  const text = spell(value);
  if (text === undefined) throw new TypeError('The value has no canonical JSON form.');
  return text;
}

function spell(value: JsonValue): string | undefined {
  try {
    return canonicalize(value);
  } catch (cause) {
    throw new TypeError('The value has no canonical JSON form.', { cause });
  }
}
