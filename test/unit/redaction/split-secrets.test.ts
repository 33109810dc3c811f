import { describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const MARK = `<redacted:github_token:${TOKEN.length}>`;
const part = (text: string, more = {}) => ({ type: 'text', text, ...more });

function redactedParts(...parts: { text: string }[]) {
  return new Redactor().redactValue({ parts });
}

describe('a secret that neighbouring text parts share', () => {
  it.each([1, 4, 5, 20, 39])('is hidden where it is cut behind %i characters', (at) => {
    const { value, hits } = redactedParts(
      part(`use ${TOKEN.slice(0, at)}`),
      part(`${TOKEN.slice(at)} today`),
    );
    expect(value).toEqual({ parts: [part(`use ${MARK}`), part(' today')] });
    expect(hits).toEqual([
      { path: 'parts[0].text', class: 'secret_pattern', name: 'github_token', replacement: MARK },
    ]);
  });

  it('is hidden when it is spread over many, and their other members stay', () => {
    const pieces = TOKEN.match(/.{1,7}/g) ?? [];
    const { value } = redactedParts(
      part('a '),
      ...pieces.map((text) => part(text, { metadata: { n: 1 } })),
      part(' b'),
    );
    expect(JSON.stringify(value).replaceAll(MARK, '')).not.toMatch(/a1B2/);
    expect((value as { parts: { text: string }[] }).parts.map(({ text }) => text).join('')).toBe(
      `a ${MARK} b`,
    );
    expect((value as { parts: object[] }).parts[1]).toEqual({ type: 'text', text: MARK, metadata: { n: 1 } });
  });

  it('is hidden when it is a known one, beside others that stand in one part', () => {
    const redactor = new Redactor();
    redactor.addKnownSecret('correct horse battery');
    const { value, hits } = redactor.redactValue([
      { kind: 'text', text: `${TOKEN} ünd correct ho` },
      { kind: 'text', text: `rse battery ${TOKEN}` },
    ]);
    expect(value).toEqual([
      { kind: 'text', text: `${MARK} ünd <redacted:known_secret:21>` },
      { kind: 'text', text: ` ${MARK}` },
    ]);
    expect(hits.map(({ path }) => path)).toEqual(['[0].text', '[0].text', '[1].text']);
  });

  it('is no secret where something else stands between the parts', () => {
    const items = [part(TOKEN.slice(0, 9)), { type: 'data', data: {} }, part(TOKEN.slice(9))];
    expect(new Redactor().redactValue(items).value).toBe(items);
  });

  it('leaves parts alone that share none', () => {
    const items = [part('hello'), part('world'), part('password'), part('is required')];
    expect(new Redactor().redactValue(items).value).toBe(items);
  });

  it('changes nothing when it is done again', () => {
    const redactor = new Redactor();
    const once = redactor.redactValue([
      part(`x ${TOKEN.slice(0, 6)}`),
      part(TOKEN.slice(6)),
      part('://u:p'),
      part('@h'),
    ]);
    expect(redactor.redactValue(once.value).value).toEqual(once.value);
    expect(JSON.stringify(once.value)).not.toContain('u:p');
  });

  it('is not found where it comes in two values, as in two chunks of a stream, and is in the text that they make', () => {
    const redactor = new Redactor();
    const chunks = [`use ${TOKEN.slice(0, 8)}`, `${TOKEN.slice(8)} today`];
    for (const chunk of chunks)
      expect(redactor.clean({ text: chunk })).toEqual({ value: { text: chunk }, hit: false });
    expect(redactor.clean({ text: chunks.join('') }).value).toEqual({ text: `use ${MARK} today` });
  });
});
