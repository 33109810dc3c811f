import { marker, type TextHit, type TextRedaction } from './marker.ts';
import type { SecretPattern } from './patterns.ts';

/** How much text before a needle `isLikely` gets to see. */
const CONTEXT_LENGTH = 48;
/**
 * No word, name or piece of code is this long, so a longer match is a secret. This also keeps rejected matches short:
 * they may overlap the next one, and long overlaps would cost quadratic time.
 */
const MAX_DOUBTFUL_LENGTH = 256;
const NO_HITS: readonly TextHit[] = [];

interface Match {
  secret: string;
  start: number;
}

/**
 * Replaces what a table of patterns finds, from left to right, in linear time. A match depends only on the text at and
 * after its needle and on the one character before it, and what replaces it ends in a character no needle continues:
 * scanning the result again finds nothing.
 */
export class PatternScanner {
  /** What it makes of a text holds nothing for it. */
  readonly findsAllAtOnce = true;
  private readonly patterns: readonly SecretPattern[];
  private readonly hints: readonly Hint[];
  private readonly needles: RegExp;
  /** The same without a look at the character before, where a match begins afresh; undefined where it is no other. */
  private readonly afresh: RegExp | undefined;

  constructor(patterns: readonly SecretPattern[]) {
    this.patterns = patterns;
    this.hints = compileHints(patterns);
    this.needles = anyNeedle(patterns, 'g');
    const looksBack = patterns.some(({ notAfter }) => notAfter !== undefined);
    this.afresh = looksBack
      ? anyNeedle(
          patterns.map(({ needle }) => ({ needle })),
          'y',
        )
      : undefined;
  }

  /** Whether a pattern may match somewhere in the text: a quick no for nearly all of them. */
  suggests(text: string, isPlain = !hasLongWord(text)): boolean {
    return this.hints.some((hint) => suggests(hint, text, isPlain));
  }

  /** `isPlain` says that the text has no long word. */
  scan(text: string, isPlain = !hasLongWord(text)): TextRedaction {
    if (!this.suggests(text, isPlain)) return { text, hits: NO_HITS };
    const clean = new CleanText(text);
    let found = execAt(this.needles, text, 0);
    while (found !== null) {
      const pattern = this.patterns[found.indexOf('', 1) - 1];
      const match = pattern && matchOf(pattern, text, found.index, found[0]);
      if (pattern === undefined || match === undefined) {
        found = execAt(this.needles, text, found.index + 1);
        continue;
      }
      clean.replace(pattern, match);
      found = this.behind(text, clean.done);
    }
    return clean.hits.length === 0 ? { text, hits: NO_HITS } : { text: clean.end(), hits: clean.hits };
  }

  /** The first needle behind the end of a replacement; one right there begins afresh, whatever stood before it. */
  private behind(text: string, done: number): RegExpExecArray | null {
    const fresh = this.afresh && execAt(this.afresh, text, done);
    return fresh ?? execAt(this.needles, text, done);
  }
}

/**
 * Any of the needles. Behind each an empty group, which shows which one was found at less cost than the needle as a group.
 * What must not stand before it is part of the expression: asking afterwards would cost ten times as much.
 */
function anyNeedle(patterns: readonly Pick<SecretPattern, 'needle' | 'notAfter'>[], flag: string): RegExp {
  const alternatives = patterns.map(
    ({ needle, notAfter }) => `${notAfter === undefined ? '' : `(?<!${notAfter})`}${needle}()`,
  );
  return new RegExp(alternatives.join('|'), flag);
}

function execAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function matchOf(pattern: SecretPattern, text: string, at: number, needle: string): Match | undefined {
  if (pattern.announces?.(needle, text.slice(Math.max(0, at - CONTEXT_LENGTH), at)) === false)
    return undefined;
  const behind = at + needle.length;
  const end = pattern.tail.endIn(text, behind);
  if (end === undefined) return undefined;
  const start = pattern.keepsNeedle === true ? behind : at;
  const secret = text.slice(start, end);
  const isDoubtful = secret.length <= MAX_DOUBTFUL_LENGTH && pattern.isLikely?.(secret, needle) === false;
  return isDoubtful ? undefined : { secret, start };
}

/** Pieces of text that are put together at once: a flood of replacements would else be as many objects for long. */
const PIECES_AT_ONCE = 256;

/** A text on its way through the replacements. Equal secrets in a row share their hit. */
class CleanText {
  readonly hits: TextHit[] = [];
  /** End of the last secret. */
  done = 0;
  readonly #text: string;
  #last: TextHit | undefined;
  #lastPattern: SecretPattern | undefined;
  #lastSecret = '';
  readonly #chunks: string[] = [];
  #pieces: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  replace(pattern: SecretPattern, { secret, start }: Match): void {
    const hit = this.#hitOf(pattern, secret);
    this.#pieces.push(this.#text.slice(this.done, start), hit.replacement);
    this.done = start + secret.length;
    this.hits.push(hit);
    if (this.#pieces.length >= PIECES_AT_ONCE) this.#join();
  }

  end(): string {
    this.#pieces.push(this.#text.slice(this.done));
    this.#join();
    return this.#chunks.join('');
  }

  #join(): void {
    this.#chunks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  #hitOf(pattern: SecretPattern, secret: string): TextHit {
    if (this.#last !== undefined && pattern === this.#lastPattern && secret === this.#lastSecret)
      return this.#last;
    const { name, replacement = marker(name, secret) } = pattern;
    this.#lastPattern = pattern;
    this.#lastSecret = secret;
    if (this.#last?.replacement !== replacement || this.#last.name !== name)
      this.#last = { name, replacement };
    return this.#last;
  }
}

/** The hints of patterns that require the same, as one expression. */
interface Hint {
  requires: string;
  isLongWord: boolean;
  expression: RegExp;
}

function compileHints(patterns: readonly SecretPattern[]): Hint[] {
  const groups = new Map<string, { requires: string; isLongWord: boolean; hints: Set<string> }>();
  for (const { requires = '', isLongWord = false, hint, needle } of patterns) {
    const key = `${isLongWord} ${requires}`;
    const group = groups.get(key) ?? { requires, isLongWord, hints: new Set() };
    group.hints.add(hint ?? needle);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ hints, ...group }) => ({
    ...group,
    expression: new RegExp([...hints].join('|')),
  }));
}

function suggests({ requires, isLongWord, expression }: Hint, text: string, isPlain: boolean): boolean {
  if (isPlain && isLongWord) return false;
  return (requires === '' || text.includes(requires)) && expression.test(text);
}

const CODES = 128;
/** A marker is no secret. Its name has no digits, so that no token looks like a marker. */
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

/** Where a secret of the rules can stand, and where to look for the next such place. */
export interface LongWord {
  from: number;
  to: number;
  next: number;
}

/**
 * The first place behind `start` where a secret of the rules can stand: a word of twelve signs or more without a space, with what may
 * name it before it when a sign of assignment stands between or in it. Nearly all of a text in plain language is skipped. A place
 * may begin before the last one ends.
 */
export function nextLongWord(text: string, start: number): LongWord | undefined {
  let at = longWord(text, start);
  for (; at !== undefined; at = longWord(text, MARKER.lastIndex)) {
    MARKER.lastIndex = at;
    if (text.charAt(at - 1) !== '<' || !MARKER.test(text)) break;
  }
  if (at === undefined) return undefined;
  let isAssigned = isBehindAssignment(text, at);
  let end = at;
  for (; end < text.length; end += 1) {
    const kind = KINDS[text.charCodeAt(end)] ?? OTHER;
    if (kind === OTHER) break;
    if (kind === ASSIGNING) isAssigned = true;
  }
  return { from: isAssigned ? Math.max(0, at - NAME_REACH) : at, to: end, next: end + 1 };
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
