import { finished, SLICE_SIZE, type Sliced } from '#json/large-json.ts';
import {
  ALPHANUMERIC,
  hasLongWord,
  kindAt,
  type LongWord,
  nextLongWord,
  UNDERSCORE,
} from '#redaction/pattern-scanner.ts';
import { marker, type TextHit, type TextRedaction } from '../marker.ts';
import { ADJUSTMENTS } from './adjustments.ts';
import { FURTHER_RULES } from './further.ts';
import { GITLEAKS_RULES } from './gitleaks.ts';
import { nativeExpression } from './native-expression.ts';
import type { RunRule, SecretRule } from './secret-rule.ts';

const CODES = 128;

/**
 * Finds many short words in one pass over a text, in any case of letters, at the same cost whatever their number
 * (Aho and Corasick). The words are ASCII, in lower case.
 */
class KeywordSearch {
  readonly #words: readonly string[];
  /** A number per character that stands in a word, the same for both cases; 0 for all others. */
  readonly #classOf = new Uint8Array(CODES);
  #width = 1;
  /** For each state and class the state behind it. */
  readonly #next: Uint16Array;
  /** States in which a word ends; asked for every character, which a table of bytes answers fastest. */
  readonly #isEnd: Uint8Array;
  /** The words that end in a state. */
  readonly #ends: (readonly number[] | undefined)[];

  constructor(words: readonly string[]) {
    this.#words = words;
    for (const code of new Set(words.flatMap((word) => [...word].map((char) => char.charCodeAt(0))))) {
      this.#classOf[code] = this.#width;
      const upper = String.fromCharCode(code).toUpperCase().charCodeAt(0);
      this.#classOf[upper] = this.#width;
      this.#width += 1;
    }
    const { next, ends } = automaton(
      words.map((word) => [...word].map((char) => this.#classOf[char.charCodeAt(0)] ?? 0)),
      this.#width,
    );
    this.#next = next;
    this.#ends = ends;
    this.#isEnd = Uint8Array.from({ length: next.length / this.#width }, (_, state) => (ends[state] ? 1 : 0));
  }

  /**
   * Calls for every occurrence in a part of the text with the index of its word and where it begins, in the order of their ends.
   * Returns the state to go on with right behind the part, so that a word may stand over its end; 0 begins afresh.
   */
  search(text: string, part: Part, found: (word: number, at: number) => void): number {
    const classOf = this.#classOf;
    const next = this.#next;
    const isEnd = this.#isEnd;
    const width = this.#width;
    let { state } = part;
    for (let at = part.from; at < part.to; at += 1) {
      const code = text.charCodeAt(at);
      state = next[state * width + (code < CODES ? (classOf[code] ?? 0) : 0)] ?? 0;
      if (isEnd[state] === 0) continue;
      for (const word of this.#ends[state] ?? []) found(word, at + 1 - (this.#words[word]?.length ?? 0));
    }
    return state;
  }
}

/** What is searched: `from` inclusive, `to` exclusive, and the state that the search before it ended in. */
interface Part {
  from: number;
  to: number;
  state: number;
}

function automaton(words: readonly (readonly number[])[], width: number) {
  const most = 1 + words.reduce((sum, { length }) => sum + length, 0);
  const next = new Uint16Array(most * width);
  const ends: (number[] | undefined)[] = [];
  let states = 1;
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (const step of word) {
      const at = state * width + step;
      if (next[at] === 0) {
        next[at] = states;
        states += 1;
      }
      state = next[at] ?? 0;
    }
    ends[state] = [...(ends[state] ?? []), index];
  }
  closeLoops(next, ends, width);
  return { next: next.slice(0, states * width), ends };
}

/** Where a word goes on no more, the longest beginning of another that ends here does. */
function closeLoops(next: Uint16Array, ends: (number[] | undefined)[], width: number): void {
  const fallback = new Map<number, number>([[0, 0]]);
  const queue: number[] = [];
  for (let step = 1; step < width; step += 1) {
    const state = next[step] ?? 0;
    if (state !== 0) queue.push(state);
  }
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    const back = fallback.get(state) ?? 0;
    const more = ends[back];
    if (more !== undefined) ends[state] = [...(ends[state] ?? []), ...more];
    for (let step = 1; step < width; step += 1) {
      const at = state * width + step;
      const child = next[at] ?? 0;
      const elsewhere = next[back * width + step] ?? 0;
      if (child === 0) next[at] = elsewhere;
      else {
        fallback.set(child, elsewhere);
        queue.push(child);
      }
    }
  }
}

const NO_HITS: readonly TextHit[] = [];
/** What gitleaks lets stand before a keyword; the match begins at the keyword here. */
const WORD_BEFORE = String.raw`[\w.-]{0,50}?`;
/** A rule that begins with it finds a value behind the name of its platform. */
const BESIDE_NAME = /\(\?:\[ \\t\\w\.-\]\{0,20\}\)/;
/** Behind the name: a sign of assignment, and a value of the least length that these rules ask for. */
const ASSIGNED =
  /[ \t\w.,-]{3,80}[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}[\w.:|=+/~%-]{12}/y;
const ASSIGNMENT_SIGN = /[=>:|?,]/g;
/** As far behind the beginning of a name its sign of assignment stands at most. */
const SIGN_REACH = 83;
/** No token is shorter. */
const TOKEN = String.raw`[\w.~|%=:+/-]{13}`;
const DIGIT = /\d/;

interface Found {
  start: number;
  end: number;
  name: string;
}

/**
 * Replaces what the rules of gitleaks and our own find. Where long words stand, one pass finds keywords; at each the rules of that
 * keyword are tried by native expressions that begin with it. What they take without a bound ends where the next of their
 * keywords could begin, so that the whole is linear in the text. A rule is compiled when its keyword is first met.
 */
export class RuleScanner {
  /** Behind a marker a token may begin that was part of a word before. */
  readonly findsAllAtOnce = false;
  readonly #words: KeywordSearch;
  readonly #rulesOf: readonly (readonly RuleMatcher[])[];
  /** The signs that words end in, where a word is none of letters and digits alone. */
  readonly #lastSigns: readonly (string | undefined)[];
  /** For each rule whose secrets need no long word the literals of its matches. */
  readonly #anywhere: readonly (readonly string[])[];

  constructor(rules: readonly RunnableRule[] = RULES) {
    const byWord = new Map<string, RuleMatcher[]>();
    for (const rule of rules) {
      const matcher = new RuleMatcher(rule);
      for (const word of rule.keywords) byWord.set(word, [...(byWord.get(word) ?? []), matcher]);
    }
    this.#words = new KeywordSearch([...byWord.keys()]);
    this.#rulesOf = [...byWord.values()];
    this.#lastSigns = [...byWord.keys()].map((word) => /[_-]$/.exec(word)?.[0]);
    this.#anywhere = rules.flatMap(({ anywhere }) => (anywhere === undefined ? [] : [anywhere]));
  }

  /** `isPlain` says that the text has no long word. */
  scan(text: string, isPlain = !hasLongWord(text)): TextRedaction {
    if (isPlain && !this.#standsAnywhere(text)) return { text, hits: NO_HITS };
    return redacted(text, finished(this.#find(text)));
  }

  *scanInSlices(text: string, isPlain: boolean): Sliced<TextRedaction> {
    if (isPlain && !this.#standsAnywhere(text)) return { text, hits: NO_HITS };
    return redacted(text, yield* this.#find(text));
  }

  /** Whether a secret may stand in it that needs no long word. */
  #standsAnywhere(text: string): boolean {
    return this.#anywhere.some((literals) => literals.every((literal) => text.includes(literal)));
  }

  *#find(text: string): Sliced<readonly Found[]> {
    const isAnywhere = this.#standsAnywhere(text);
    const search = new Search(text, this.#rulesOf, this.#lastSigns);
    let done = 0;
    let state = 0;
    let rested = 0;
    const all: LongWord = { from: 0, to: text.length, next: text.length };
    for (let word = isAnywhere ? all : nextLongWord(text, 0); word; word = nextLongWord(text, word.next)) {
      if (word.from > done) {
        done = word.from;
        state = 0;
      }
      while (done < word.to) {
        if (done >= rested + SLICE_SIZE) {
          rested = done;
          yield;
        }
        const until = Math.min(word.to, rested + SLICE_SIZE);
        state = this.#words.search(text, { from: done, to: until, state }, search.at);
        done = until;
      }
    }
    return search.found;
  }
}

function redacted(text: string, found: readonly Found[]): TextRedaction {
  if (found.length === 0) return { text, hits: NO_HITS };
  const hits: TextHit[] = [];
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, name } of apart(found)) {
    const replacement = marker(name, text.slice(start, end));
    pieces.push(text.slice(done, start), replacement);
    hits.push({ name, replacement });
    done = end;
  }
  return { text: pieces.join('') + text.slice(done), hits };
}

/** One text on its way past the keywords. */
class Search {
  readonly found: Found[] = [];
  readonly #text: string;
  readonly #rulesOf: readonly (readonly RuleMatcher[])[];
  readonly #lastSigns: readonly (string | undefined)[];
  #covered = 0;
  /** The first sign of assignment behind a place. */
  #behind = 0;
  #sign = -1;

  constructor(
    text: string,
    rulesOf: readonly (readonly RuleMatcher[])[],
    lastSigns: readonly (string | undefined)[],
  ) {
    this.#text = text;
    this.#rulesOf = rulesOf;
    this.#lastSigns = lastSigns;
  }

  /** A keyword stands at `at`. */
  readonly at = (word: number, at: number): void => {
    const text = this.#text;
    // What begins inside a secret goes with it: matches that overlap for long would cost quadratic time.
    if (at < this.#covered) return;
    // A prefix again and again, `glpat-glpat-`, is no token, and would be tried at each.
    if (at > 0 && text.charAt(at - 1) === this.#lastSigns[word]) return;
    // All rules of a name want the same behind it.
    let isAssigned: boolean | undefined;
    for (const rule of this.#rulesOf[word] ?? []) {
      if (rule.isBesideName) {
        isAssigned ??= this.#isAssigned(at);
        if (!isAssigned) continue;
      } else if (!rule.mayBeginAt(text, at)) continue;
      const secret = rule.at(text, at);
      if (secret === undefined) continue;
      this.found.push(secret);
      this.#covered = Math.max(this.#covered, secret.end);
    }
  };

  #isAssigned(at: number): boolean {
    if (at < this.#behind || at > this.#sign) {
      ASSIGNMENT_SIGN.lastIndex = at;
      this.#behind = at;
      this.#sign = ASSIGNMENT_SIGN.test(this.#text) ? ASSIGNMENT_SIGN.lastIndex - 1 : this.#text.length;
    }
    if (this.#sign > at + SIGN_REACH) return false;
    ASSIGNED.lastIndex = at;
    return ASSIGNED.test(this.#text);
  }
}

/** Where two overlap, the one that begins first names both. */
function apart(found: readonly Found[]): Found[] {
  const sorted = found.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const kept: Found[] = [];
  for (const next of sorted) {
    const last = kept.at(-1);
    if (last === undefined || next.start >= last.end) kept.push({ ...next });
    else last.end = Math.max(last.end, next.end);
  }
  return kept;
}

/** A rule with what it takes to run it. */
export interface RunnableRule extends RunRule {
  id: string;
  regex: string;
  keywords: readonly string[];
  entropy?: number;
  secretGroup?: number;
}

/** The rules that are run: those of gitleaks, adjusted, and ours. */
export const RULES: readonly RunnableRule[] = [...GITLEAKS_RULES, ...FURTHER_RULES].flatMap((rule) => {
  const adjusted = adjust(rule);
  return adjusted === undefined ? [] : [adjusted];
});

function adjust(rule: SecretRule & RunRule): RunnableRule | undefined {
  const how = Object.hasOwn(ADJUSTMENTS, rule.id) ? ADJUSTMENTS[rule.id] : undefined;
  if (how !== undefined && 'leftOut' in how) return undefined;
  const { rule: replaced, ...run } = how ?? {};
  const { regex, keywords, ...more } = { ...rule, ...replaced, ...run };
  if (regex === undefined || keywords === undefined)
    throw new Error(
      `The rule ${rule.id} has no expression or no keyword: leave it out by a row, with the reason.`,
    );
  return { ...more, regex, keywords };
}

/** The name in a marker, `github_pat`. */
export function nameOfRule(id: string): string {
  return id.replaceAll('-', '_');
}

class RuleMatcher {
  readonly isBesideName: boolean;
  readonly #rule: RunnableRule;
  readonly #name: string;
  /** The least kind of a character that must not stand before the match. */
  readonly #notAfter: number;
  readonly #before: number;
  readonly #gate: RegExp;
  #expression: RegExp | undefined;

  constructor(rule: RunnableRule) {
    this.#rule = rule;
    this.#name = nameOfRule(rule.id);
    this.isBesideName = BESIDE_NAME.test(rule.regex);
    const isWord = /^(?:\(\?i\))?\\b/.test(rule.regex);
    if (rule.mayFollowWord === true) this.#notAfter = Number.POSITIVE_INFINITY;
    else this.#notAfter = isWord ? UNDERSCORE : ALPHANUMERIC;
    this.#before = rule.before ?? 0;
    this.#gate = new RegExp(rule.gate ?? TOKEN, 'iy');
  }

  /** Whether a match of a rule for tokens may have its keyword at `at`. */
  mayBeginAt(text: string, at: number): boolean {
    if (kindAt(text, Math.max(0, at - this.#before) - 1) >= this.#notAfter) return false;
    this.#gate.lastIndex = at;
    return this.#gate.test(text);
  }

  /** The secret of a match whose keyword stands at `at`. */
  at(text: string, at: number): Found | undefined {
    this.#expression ??= nativeExpression(this.#rule.regex.replaceAll(WORD_BEFORE, ''));
    this.#expression.lastIndex = Math.max(0, at - this.#before);
    const match = this.#expression.exec(text);
    if (match === null) return undefined;
    const [whole, ...groups] = match.indices ?? [];
    const secretGroup = this.#rule.secretGroup;
    const [start, end] = (secretGroup === undefined
      ? groups.find((each) => each !== undefined)
      : groups[secretGroup - 1]) ??
      whole ?? [at, at];
    if (!this.#isSecret(text.slice(start, end))) return undefined;
    return { start, end, name: this.#name };
  }

  #isSecret(secret: string): boolean {
    const { entropy = 0, harmless } = this.#rule;
    // A value beside a name that has letters alone is a word.
    if (this.isBesideName && !DIGIT.test(secret)) return false;
    return bitsPerCharacter(secret) > entropy && harmless?.test(secret) !== true;
  }
}

/** Shannon's entropy, as gitleaks measures it. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
