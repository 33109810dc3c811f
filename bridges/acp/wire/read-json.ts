import type { JsonValue } from '../../../src/protocol/json.ts';

/** A backslash and what it escapes: both halves of a pair, one half alone, or anything else. */
const ESCAPES =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gs;
const HALF = '\\uD800'.length;

/**
 * Reads a message as strictly as every other one, except that half of a surrogate pair becomes U+FFFD: peers cut texts between
 * the halves, in the middle of a word to show or of a file, and a message for that alone is not lost. Throws what `parseJson`
 * throws.
 */
export function readJson(text: string, parseJson: (text: string) => JsonValue): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    const whole = text.replace(ESCAPES, (found) => (found.length === HALF ? '\\ufffd' : found));
    if (whole === text) throw error;
    return parseJson(whole);
  }
}
