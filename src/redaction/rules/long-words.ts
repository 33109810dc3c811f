const CODES = 128;
/** Fewest signs of a long word. */
const LEAST = 12;
/** As far before a value its name stands at most. */
const NAME_REACH = 91;
/** Signs at most between a sign of assignment and the value. */
const MOST_BETWEEN = 5;

const ASSIGNMENT_SIGNS = '=>:|,$';

const OTHER = 0;
const SIGN = 1;
export const UNDERSCORE = 2;
export const ALPHANUMERIC = 3;
/** What long words are made of; 0 for all other characters. */
const KINDS = Uint8Array.from({ length: CODES }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(char)) return ALPHANUMERIC;
  if (char === '_') return UNDERSCORE;
  return '.~|%=:+/-'.includes(char) ? SIGN : OTHER;
});

/** The kind of a character; that of none where the text is at its end or has not begun. */
export function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < CODES ? (KINDS[code] ?? OTHER) : OTHER;
}

/**
 * Calls for each place where a secret of the rules can stand: a word of twelve signs or more without a space, with what may
 * name it before it when a sign of assignment stands between. Nearly all of a text in plain language is skipped. The places are
 * in order; one may begin before the last one ends.
 */
export function forLongWords(text: string, visit: (from: number, to: number) => void): void {
  let at = 0;
  while (at + LEAST <= text.length) {
    // What is in no word ends all that begin before it: of most words only the last signs are looked at.
    let back = at + LEAST - 1;
    while (back >= at && kindAt(text, back) !== OTHER) back -= 1;
    if (back >= at) {
      at = back + 1;
      continue;
    }
    let end = at + LEAST;
    while (kindAt(text, end) !== OTHER) end += 1;
    visit(isAssigned(text, at, end) ? Math.max(0, at - NAME_REACH) : at, end);
    at = end + 1;
  }
}

/** Whether a name may stand before a word: behind a sign of assignment, or where the word holds one. */
function isAssigned(text: string, from: number, to: number): boolean {
  for (let before = from - 1; before >= 0 && from - before <= MOST_BETWEEN + 1; before -= 1) {
    if (ASSIGNMENT_SIGNS.includes(text.charAt(before))) return true;
    if (!isBetween(text.charCodeAt(before))) break;
  }
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    // `=`, `:`, `|` and `%`.
    if (code === 61 || code === 58 || code === 124 || code === 37) return true;
  }
  return false;
}

/** White space and quotes. */
function isBetween(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96 || code >= CODES;
}
