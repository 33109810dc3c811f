import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';
import { ADJUSTMENTS } from '#redaction/rules/adjustments.ts';
import { GITLEAKS_RULES } from '#redaction/rules/gitleaks.ts';
import { nativeExpression } from '#redaction/rules/native-expression.ts';
import { nameOfRule, RULES, type RunnableRule } from '#redaction/rules/rule-scanner.ts';
import { sampleOf } from '../unit/redaction/re2-samples.ts';

const SAMPLES_EACH = 5;
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1);

/** What gitleaks lets stand between the name of a platform and a value: such a value needs a digit here. */
const FILLER = String.raw`(?:[ \t\w.-]{0,20})`;

/** Texts that the expression of a rule matches, as random as the rule asks for. */
function samplesOf({ regex, entropy = 0, harmless, secretGroup }: RunnableRule): string[] {
  const hasDigit = (secret: string) => !regex.includes(FILLER) || /\d/.test(secret);
  const expression = RE2JS.compile(regex);
  return SEEDS.map((seed) => sampleOf(regex, seed)).filter((text) => {
    const matcher = expression.matcher(text);
    if (!matcher.matches()) return false;
    const groups = Array.from({ length: expression.groupCount() }, (_, index) => matcher.group(index + 1));
    const secret = (secretGroup === undefined ? groups.find(Boolean) : groups[secretGroup - 1]) ?? text;
    return bits(secret) > entropy && hasDigit(secret) && harmless?.test(secret) !== true;
  });
}

function bits(text: string): number {
  const shares = [...new Set(text)].map((char) => (text.split(char).length - 1) / text.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}

describe('the rules of gitleaks', () => {
  it('are all there, and each is run or left out for a reason', () => {
    expect(GITLEAKS_RULES).toHaveLength(222);
    const run = new Set(RULES.map(({ id }) => id));
    const leftOut = Object.entries(ADJUSTMENTS).flatMap(([id, how]) => ('leftOut' in how ? [id] : []));
    expect(GITLEAKS_RULES.map(({ id }) => id).filter((id) => !run.has(id))).toEqual(
      GITLEAKS_RULES.map(({ id }) => id).filter((id) => leftOut.includes(id)),
    );
    const known = new Set(GITLEAKS_RULES.map(({ id }) => id));
    expect(Object.keys(ADJUSTMENTS).filter((id) => !known.has(id))).toEqual([]);
  });

  it('have names of their own that a marker can hold', () => {
    const names = RULES.map(({ id }) => nameOfRule(id));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
  });
});

describe('every rule that is run', () => {
  it.each(RULES.map((rule) => ({ id: rule.id, rule })))('$id hides what its expression finds', ({ rule }) => {
    const redactor = new Redactor();
    const samples = samplesOf(rule);
    expect(samples.length).toBeGreaterThanOrEqual(SAMPLES_EACH);
    for (const sample of samples) {
      const clean = redactor.redactText(`see\n${sample}\nfor more`);
      expect(clean).toMatch(/<redacted:[a-z0-9_]+:\d+>/);
      expect(redactor.redactText(clean)).toBe(clean);
    }
  });
});

/** What RE2 finds at the beginning of a text: the whole match, and the groups without a name; -1 where one took no part. */
function spansOfRe2(regex: string, text: string): number[][] | undefined {
  const expression = RE2JS.compile(regex.replaceAll(/\(\?P<\w+>/g, '(?:'));
  const matcher = expression.matcher(text);
  if (!matcher.lookingAt()) return undefined;
  return Array.from({ length: expression.groupCount() + 1 }, (_, group) => [
    matcher.start(group),
    matcher.end(group),
  ]);
}

function spansOfNative(regex: string, text: string): number[][] | undefined {
  return nativeExpression(regex)
    .exec(text)
    ?.indices?.map((span: [number, number] | undefined) => span ?? [-1, -1]);
}

/** Signs that end tokens, or stand in none. */
const OTHER_SIGNS = [
  '',
  ' ',
  '=',
  '-',
  '_',
  '.',
  '"',
  'Z',
  'z',
  '0',
  '\n',
  '\v',
  '\u00a0',

  '\ud83d\ude00',
];

describe('the native expression', () => {
  it.each(RULES.map(({ id, regex }) => ({ id, regex })))('of $id finds what RE2 finds', ({ regex }) => {
    let matches = 0;
    for (const seed of SEEDS.slice(0, 8)) {
      const sample = sampleOf(regex, seed);
      const at = (seed * 7) % sample.length;
      const changed = OTHER_SIGNS.map((sign) => sample.slice(0, at) + sign + sample.slice(at + 1));
      for (const text of [
        sample,
        `${sample} and more`,
        `${sample}${sample}`,
        sample.toUpperCase(),
        sample.toLowerCase(),
        ...changed,
      ]) {
        const expected = spansOfRe2(regex, text);
        expect({ text, spans: spansOfNative(regex, text) }).toEqual({ text, spans: expected });
        if (expected !== undefined) matches += 1;
      }
    }
    expect(matches).toBeGreaterThan(0);
  });

  it.each(['(?s)a', 'a(?=b)', String.raw`\pL`, 'a(b', '[[:digit:]]', '(?i)[A-z]', String.raw`a\Qb`, 'a)'])(
    'is refused for %s, whose meaning it does not know',
    (regex) => {
      expect(() => nativeExpression(regex)).toThrow(regex);
    },
  );
});

describe('a token that labels stand in', () => {
  it('is hidden as a whole', () => {
    const token = `ZXlKaGJHY2lPaUpJVXpJMU5pSXNJblI1Y0NJNklrcFhWQ0o5LmV5SnpkV0lpT2lJeE1qTTBOVFkzT0Rrd0lu${'a1B2'.repeat(9)}`;
    expect(new Redactor().redactText(`see ${token} there`)).toBe(
      `see <redacted:jwt_base64:${token.length}> there`,
    );
  });
});
