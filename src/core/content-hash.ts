import { canonicalJson, inCanonicalOrder, sha256Hex } from '#json/canonical.ts';
import { type CleanText, own } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';

/** How JSON.stringify escapes half of a surrogate pair; whole characters are not escaped. */
const HALF_CHARACTER = /\\ud[89a-f]/;

/** `sha256:` and the hash of the RFC 8785 bytes of a value. Half characters, which have none, count as U+FFFD. */
export function contentHash(value: JsonValue): CleanText {
  return own(`sha256:${sha256Hex(canonicalOfWhole(value ?? null))}`);
}

/** Asked about half characters only where there is no canonical form: a text without any is spelled once. */
function canonicalOfWhole(value: JsonValue): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!HALF_CHARACTER.test(JSON.stringify(value))) throw error;
    return canonicalJson(inCanonicalOrder({ value })['value'] ?? null);
  }
}
