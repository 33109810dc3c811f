import { RE2JS } from 're2js';
import { KeywordSearch } from '../keyword-search.ts';
import type { TextHit, TextRedaction } from '../marker.ts';
import { marker } from '../marker.ts';
import { ADJUSTMENTS } from './adjustments.ts';
import { FURTHER_RULES } from './further.ts';
import { GITLEAKS_RULES } from './gitleaks.ts';
import type { RunRule, SecretRule } from './secret-rule.ts';

const NO_HITS: readonly TextHit[] = [];
/** How much text from the keyword on a rule sees at first; more when its match goes to the end of that. */
const REACH = 512;
/** What gitleaks lets stand before a keyword; the match begins at the keyword here. */
const WORD_BEFORE = String.raw`[\w.-]{0,50}?`;
/** A rule that begins with it finds a value behind the name of its platform. */
const BESIDE_NAME = /\(\?:\[ \\t\\w\.-\]\{0,20\}\)/;
/** Behind the name: a sign of assignment, and a value of the least length that these rules ask for. */
const ASSIGNED = String.raw`[ \t\w.,-]{3,80}[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}[\w.:|=+/~%-]{12}`;
/** No token is shorter. */
const TOKEN = String.raw`[\w.~|%=:+/-]{13}`;
const WORD = /\w/;
const ALPHANUMERIC = /[A-Za-z0-9]/;
const DIGIT = /\d/;

interface Found {
  start: number;
  end: number;
  name: string;
}

/**
 * Replaces what the rules of gitleaks and our own find. One pass finds keywords; at each the rules of that keyword are tried, on
 * a bounded piece of text and by a linear engine, so that the whole is linear in the text. A rule is compiled when its keyword is
 * first met.
 */
export class RuleScanner {
  readonly #words: KeywordSearch;
  readonly #rulesOf: readonly (readonly RuleMatcher[])[];
  /** The signs that words end in, where a word is none of letters and digits alone. */
  readonly #lastSigns: readonly (string | undefined)[];

  constructor(rules: readonly RunnableRule[] = RULES) {
    const byWord = new Map<string, RuleMatcher[]>();
    for (const rule of rules) {
      const matcher = new RuleMatcher(rule);
      for (const word of rule.keywords) byWord.set(word, [...(byWord.get(word) ?? []), matcher]);
    }
    this.#words = new KeywordSearch([...byWord.keys()]);
    this.#rulesOf = [...byWord.values()];
    this.#lastSigns = [...byWord.keys()].map((word) => /[_-]$/.exec(word)?.[0]);
  }

  scan(text: string): TextRedaction {
    const found = this.#find(text);
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

  #find(text: string): Found[] {
    const found: Found[] = [];
    let covered = 0;
    this.#words.search(text, (word, at) => {
      // What begins inside a secret goes with it: matches that overlap for long would cost quadratic time.
      if (at < covered) return;
      // A prefix again and again, `glpat-glpat-`, is no token, and would be tried at each.
      if (at > 0 && text.charAt(at - 1) === this.#lastSigns[word]) return;
      for (const rule of this.#rulesOf[word] ?? []) {
        const secret = rule.at(text, at);
        if (secret === undefined) continue;
        found.push(secret);
        covered = Math.max(covered, secret.end);
      }
    });
    return found;
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
  readonly #rule: RunnableRule;
  readonly #name: string;
  readonly #isBesideName: boolean;
  /** What must not stand before the match; undefined where anything may. */
  readonly #notAfter: RegExp | undefined;
  readonly #before: number;
  readonly #gate: RegExp;
  #compiled: RE2JS | undefined;

  constructor(rule: RunnableRule) {
    this.#rule = rule;
    this.#name = nameOfRule(rule.id);
    this.#isBesideName = BESIDE_NAME.test(rule.regex);
    const isWord = /^(?:\(\?i\))?\\b/.test(rule.regex);
    const isAnywhere = this.#isBesideName || rule.mayFollowWord === true;
    this.#notAfter = isAnywhere ? undefined : isWord ? WORD : ALPHANUMERIC;
    this.#before = rule.before ?? 0;
    this.#gate = new RegExp(rule.gate ?? (this.#isBesideName ? ASSIGNED : TOKEN), 'iy');
  }

  /** The secret of a match whose keyword stands at `at`. */
  at(text: string, at: number): Found | undefined {
    const from = Math.max(0, at - this.#before);
    if (this.#notAfter?.test(text.charAt(from - 1)) === true) return undefined;
    this.#gate.lastIndex = at;
    if (!this.#gate.test(text)) return undefined;
    for (let reach = REACH; ; reach *= 4) {
      const piece = text.slice(from, from + reach);
      const found = this.#begins(piece);
      if (found === undefined) return undefined;
      // What ends where the piece ends may go on behind it.
      if (found.matchEnd < piece.length || from + reach >= text.length) {
        const { start, end } = found;
        return { start: from + start, end: from + end, name: this.#name };
      }
    }
  }

  #begins(piece: string): { start: number; end: number; matchEnd: number } | undefined {
    this.#compiled ??= RE2JS.compile(this.#rule.regex.replaceAll(WORD_BEFORE, ''));
    const matcher = this.#compiled.matcher(piece);
    if (!matcher.lookingAt()) return undefined;
    const groups = Array.from({ length: this.#compiled.groupCount() }, (_, index) => index + 1);
    const group = this.#rule.secretGroup ?? groups.find((each) => matcher.start(each) >= 0) ?? 0;
    const secret = piece.slice(matcher.start(group), matcher.end(group));
    if (!this.#isSecret(secret)) return undefined;
    return { start: matcher.start(group), end: matcher.end(group), matchEnd: matcher.end() };
  }

  #isSecret(secret: string): boolean {
    const { entropy = 0, harmless } = this.#rule;
    // A value beside a name that has letters alone is a word.
    if (this.#isBesideName && !DIGIT.test(secret)) return false;
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
