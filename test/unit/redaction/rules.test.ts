import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../src/redaction/redactor.ts';
import { ADJUSTMENTS } from '../../../src/redaction/rules/adjustments.ts';
import { GITLEAKS_RULES } from '../../../src/redaction/rules/gitleaks.ts';
import { nameOfRule, RULES, type RunnableRule } from '../../../src/redaction/rules/rule-scanner.ts';
import { sampleOf } from './re2-samples.ts';

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
