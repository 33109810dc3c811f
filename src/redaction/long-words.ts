const CODES = 128;
/** What stands for a secret is none. Without digits in its name, so that no token passes for one. */
const MARKER = /redacted:[a-z_]{1,64}:\d{1,12}>/y;
/** Fewest signs of a long word. */
const LEAST = 12;
/** As far before a value its name stands at most. */
const NAME_REACH = 91;
/** Signs at most between a sign of assignment and the value. */
const MOST_BETWEEN = 5;

const ASSIGNMENT_SIGNS = '=>:|,$';

const OTHER = 0;
const ASSIGNING = 1;
const SIGN = 2;
export const UNDERSCORE = 3;
export const ALPHANUMERIC = 4;
/** What long words are made of; 0 for all other characters. */
const KINDS = Uint8Array.from({ length: CODES }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(char)) return ALPHANUMERIC;
  if (char === '_') return UNDERSCORE;
  if ('=:|%'.includes(char)) return ASSIGNING;
  return '.~+/-'.includes(char) ? SIGN : OTHER;
});

/** The kind of a character; that of none where the text is at its end or has not begun. */
export function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < CODES ? (KINDS[code] ?? OTHER) : OTHER;
}

/**
 * Calls for each place where a secret of the rules can stand: a word of twelve signs or more without a space, with what may
 * name it before it when a sign of assignment stands between or in it. Nearly all of a text in plain language is skipped. The places are
 * in order; one may begin before the last one ends.
 */
export function forLongWords(text: string, visit: (from: number, to: number) => void): void {
  for (let at = longWord(text, 0); at !== undefined; ) {
    MARKER.lastIndex = at;
    if (text.charAt(at - 1) === '<' && MARKER.test(text)) {
      at = longWord(text, MARKER.lastIndex);
      continue;
    }
    let isAssigned = isBehindAssignment(text, at);
    let end = at;
    for (; end < text.length; end += 1) {
      const kind = KINDS[text.charCodeAt(end)] ?? OTHER;
      if (kind === OTHER) break;
      if (kind === ASSIGNING) isAssigned = true;
    }
    visit(isAssigned ? Math.max(0, at - NAME_REACH) : at, end);
    at = longWord(text, end + 1);
  }
}

/** Whether a text has a word of twelve signs or more: letters, digits and those that tokens have. */
export function hasLongWord(text: string): boolean {
  return longWord(text, 0) !== undefined;
}

/** Where the first long word begins that begins at `from` or behind. */
function longWord(text: string, from: number): number | undefined {
  let at = from;
  while (at + LEAST <= text.length) {
    // What is in no word ends all that begin before it: of most words only the last signs are looked at.
    let back = at + LEAST - 1;
    for (; back >= at; back -= 1) {
      const code = text.charCodeAt(back);
      if (code >= CODES || KINDS[code] === OTHER) break;
    }
    if (back < at) return at;
    at = back + 1;
  }
  return undefined;
}

/** Whether a sign of assignment stands before a word. */
function isBehindAssignment(text: string, from: number): boolean {
  for (let before = from - 1; before >= 0 && from - before <= MOST_BETWEEN + 1; before -= 1) {
    if (ASSIGNMENT_SIGNS.includes(text.charAt(before))) return true;
    if (!isBetween(text.charCodeAt(before))) return false;
  }
  return false;
}

/** White space and quotes. */
function isBetween(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96 || code >= CODES;
}
