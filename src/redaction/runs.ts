/** The rest of a secret, behind its needle. */
export interface Tail {
  /** The same as a re2 expression; by default tests compare the two. */
  expression: string;
  /** Where the secret ends whose needle ends at `at`; undefined when there is none. Linear, and without a stack. */
  endIn(text: string, at: number): number | undefined;
}

/** As many characters of a class as there are, and no fewer than `least`. */
export interface Run {
  /** What stands between the brackets of the class, in the spelling that native and re2 expressions share. */
  of: string;
  least?: number;
  /** Also allowed between them, as a native expression whose first character is a literal outside of the class. */
  or?: string;
  /** The run ends behind the last one of this character of the class. */
  upTo?: string;
}

/** Exactly one character of a class. */
export interface One {
  one: string;
}

/** Steps that come as often as they can, at most this often. */
export interface Repeated {
  repeat: readonly Step[];
  most?: number;
}

/** A literal, or something of a class. A run ends where its class ends: the step behind it has to begin with another character. */
export type Step = string | Run | One | Repeated;

type EndIn = Tail['endIn'];

/** White space of re2, which native expressions spell `\s` with more. */
export const SPACE = String.raw` \t\n\f\r`;

/**
 * A tail of steps of which none ever gives back what it took: that is what makes it linear. Every class must exclude the first
 * character of the step behind it, so that a backtracking or an automatic engine would find the same.
 */
export function tail(...steps: readonly Step[]): Tail {
  return { expression: steps.map(expressionOf).join(''), endIn: inOrder(steps.map(endOf)) };
}

/** Where a run of a class ends that begins at `at`: at its first character that is none of the class. */
export function runEnd(of: string): (text: string, at: number) => number {
  const outside = new RegExp(of.startsWith('^') ? `[${of.slice(1)}]` : `[^${of}]`, 'g');
  return (text, at) => firstUnit(outside, text, at);
}

/** Where the first match at or behind `at` begins of an expression that takes exactly one code unit; else the end of the text. */
export function firstUnit(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  // Only tested, because the list that describes a match costs more than the search.
  return expression.test(text) ? expression.lastIndex - 1 : text.length;
}

function expressionOf(step: Step): string {
  if (typeof step === 'string') return step.replace(/[^A-Za-z0-9]/g, '\\$&');
  if ('one' in step) return `[${step.one}]`;
  if ('repeat' in step) return `(?:${step.repeat.map(expressionOf).join('')}){0,${step.most ?? ''}}`;
  const { of, least = 0, or, upTo = '' } = step;
  return `${or === undefined ? `[${of}]` : `(?:[${of}]|${or})`}{${least},}${upTo}`;
}

function endOf(step: Step): EndIn {
  if (typeof step === 'string')
    return (text, at) => (text.startsWith(step, at) ? at + step.length : undefined);
  if ('one' in step) return sticky(`[${step.one}]`);
  if ('repeat' in step)
    return repeated(inOrder(step.repeat.map(endOf)), step.most ?? Number.POSITIVE_INFINITY);
  return runOf(step);
}

function runOf({ of, least = 0, or, upTo }: Run): EndIn {
  const member = or === undefined ? `[${of}]` : `(?:[${of}]|${or})`;
  const begins = least === 0 ? undefined : sticky(`${member}{${least}}`);
  const end = or === undefined ? runEnd(of) : mixedEnd(runEnd(of), or.charAt(0), sticky(or));
  return (text, at) => {
    if (begins && begins(text, at) === undefined) return undefined;
    const ended = end(text, at);
    if (upTo === undefined) return ended;
    // Nearly always it stands at the end, where to look costs a tenth of a search.
    const last = text.charAt(ended - 1) === upTo ? ended - 1 : text.lastIndexOf(upTo, ended - 1);
    return last < at ? undefined : last + 1;
  };
}

/** A run with something else between, which is only asked about where it may begin. */
function mixedEnd(end: (text: string, at: number) => number, first: string, other: EndIn) {
  return (text: string, from: number): number => {
    let at = end(text, from);
    while (text.charAt(at) === first) {
      const next = other(text, at);
      if (next === undefined) break;
      at = end(text, next);
    }
    return at;
  };
}

function repeated(once: EndIn, most: number): EndIn {
  return (text, from) => {
    let at = from;
    for (let times = 0; times < most; times += 1) {
      const next = once(text, at);
      if (next === undefined) break;
      at = next;
    }
    return at;
  };
}

function inOrder(ends: readonly EndIn[]): EndIn {
  return (text, from) => {
    let at = from;
    for (const end of ends) {
      const next = end(text, at);
      if (next === undefined) return undefined;
      at = next;
    }
    return at;
  };
}

/** For bounded expressions only. Counts characters, not halves of them, as re2 does. */
function sticky(expression: string): EndIn {
  const compiled = new RegExp(expression, 'uy');
  return (text, at) => {
    compiled.lastIndex = at;
    return compiled.test(text) ? compiled.lastIndex : undefined;
  };
}
