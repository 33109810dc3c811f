import { RE2JS } from 're2js';
import type { TextHit, TextRedaction } from './marker.ts';
import { marker } from './marker.ts';
import type { SecretPattern } from './patterns.ts';

/** How much text before a needle `isLikely` gets to see. */
const CONTEXT_LENGTH = 48;
/**
 * No word, name or piece of code is this long, so a longer match is a secret. This also keeps rejected matches short:
 * they may overlap the next one, and long overlaps would cost quadratic time.
 */
const MAX_DOUBTFUL_LENGTH = 256;
const NO_HITS: readonly TextHit[] = [];

interface CompiledPattern extends SecretPattern {
  engine: RE2JS;
}

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
  private readonly patterns: readonly CompiledPattern[];
  private readonly hints: readonly Hint[];
  private readonly needles: RegExp;

  constructor(patterns: readonly SecretPattern[]) {
    this.patterns = patterns.map((pattern) => ({ ...pattern, engine: RE2JS.compile(pattern.secret) }));
    this.hints = compileHints(patterns);
    this.needles = new RegExp(patterns.map(({ needle }) => `(${needle})`).join('|'), 'g');
  }

  scan(text: string): TextRedaction {
    if (!this.hints.some((hint) => suggests(hint, text))) return { text, hits: NO_HITS };
    const hits: TextHit[] = [];
    let clean = '';
    let done = 0;
    this.needles.lastIndex = 0;
    for (let found = this.needles.exec(text); found !== null; found = this.needles.exec(text)) {
      const pattern = this.patterns[found.indexOf(found[0], 1) - 1];
      const match = pattern && this.match(pattern, text, found.index, found[0], done);
      if (pattern === undefined || match === undefined) {
        this.needles.lastIndex = found.index + 1;
        continue;
      }
      const replacement = pattern.replacement ?? marker(pattern.name, match.secret);
      hits.push({ name: pattern.name, replacement });
      clean += text.slice(done, match.start) + replacement;
      done = match.start + match.secret.length;
      this.needles.lastIndex = done;
    }
    return hits.length === 0 ? { text, hits: NO_HITS } : { text: clean + text.slice(done), hits };
  }

  /** `done` is the end of the last replacement: a match right behind it begins afresh. */
  private match(
    pattern: CompiledPattern,
    text: string,
    at: number,
    needle: string,
    done: number,
  ): Match | undefined {
    if (at > done && pattern.notAfter?.test(text.charAt(at - 1)) === true) return undefined;
    if (pattern.announces?.(needle, text.slice(Math.max(0, at - CONTEXT_LENGTH), at)) === false)
      return undefined;
    const start = pattern.keepsNeedle === true ? at + needle.length : at;
    const matcher = pattern.engine.matcher(text.slice(start));
    if (!matcher.lookingAt()) return undefined;
    const secret = text.slice(start, start + matcher.end());
    const isDoubtful = secret.length <= MAX_DOUBTFUL_LENGTH && pattern.isLikely?.(secret, needle) === false;
    return isDoubtful ? undefined : { secret, start };
  }
}

/** The hints of patterns that require the same literal, as one expression. */
interface Hint {
  requires: string;
  expression: RegExp;
}

function compileHints(patterns: readonly SecretPattern[]): Hint[] {
  const groups = new Map<string, Set<string>>();
  for (const { requires = '', hint, needle } of patterns) {
    const group = groups.get(requires) ?? new Set();
    groups.set(requires, group.add(hint ?? needle));
  }
  return [...groups].map(([requires, hints]) => ({ requires, expression: new RegExp([...hints].join('|')) }));
}

function suggests(hint: Hint, text: string): boolean {
  return (hint.requires === '' || text.includes(hint.requires)) && hint.expression.test(text);
}
