import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';
import { CONTEXT_SAMPLES, NEAR_MISSES, SHAPE_SAMPLES } from './samples.ts';

const TOKEN = `ghp_${'a1'.repeat(18)}`;
const MARK = '<redacted:github_token:40>';
const KNOWN = 'a-known+secret/42';

function redactorWith(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.addKnownSecret(secret);
  return redactor;
}

describe('a value on its way into the log', () => {
  it('is the same object when nothing was hit', () => {
    const value = {
      payload: { parts: [{ text: 'hello' }], page_token: 'abc123def456', password: 'a member stays' },
    };
    const clean = new Redactor().redactValue(value);
    expect(clean.value).toBe(value);
    expect(clean.hits).toEqual([]);
  });

  it('loses its secrets, with a hit that says where, and shares what was clean', () => {
    const value = {
      a: { b: [1, 'two'] },
      payload: { parts: [{ text: 'ok' }, { text: `use ${TOKEN}`, 'x-y': [TOKEN] }] },
    };
    const { value: clean, hits } = new Redactor().redactValue(value);
    expect(clean).toEqual({
      a: { b: [1, 'two'] },
      payload: { parts: [{ text: 'ok' }, { text: `use ${MARK}`, 'x-y': [MARK] }] },
    });
    expect(Reflect.get(clean as object, 'a')).toBe(value.a);
    expect(hits).toEqual([
      { path: 'payload.parts[1].text', class: 'secret_pattern', name: 'github_token', replacement: MARK },
      { path: 'payload.parts[1].x-y[0]', class: 'secret_pattern', name: 'github_token', replacement: MARK },
    ]);
    expect(value.payload.parts[1]?.text).toContain(TOKEN);
  });

  it('keeps members whose name is secret: those rules are for headers, errors and bundles', () => {
    const value = { arguments: { api_key: 'opaque-value', page_token: 'cursor-value' } };
    expect(new Redactor().redactValue(value).value).toBe(value);
  });

  it('keeps the order of members, quotes unusual names in paths and drops nothing', () => {
    const value = JSON.parse(`{"z":1,"10":2,"a b":{"c":"${TOKEN}"},"n":null}`);
    const { value: clean, hits } = new Redactor().redactValue(value);
    expect(JSON.stringify(clean)).toBe(`{"10":2,"z":1,"a b":{"c":"${MARK}"},"n":null}`);
    expect(hits[0]?.path).toBe('["a b"].c');
  });

  it('may be a bare string, number or null', () => {
    expect(new Redactor().redactValue(TOKEN)).toMatchObject({ value: MARK, hits: [{ path: '' }] });
    expect(new Redactor().redactValue(12)).toEqual({ value: 12, hits: [] });
    expect(new Redactor().redactValue(null)).toEqual({ value: null, hits: [] });
  });
});

describe('headers, errors and log records', () => {
  it.each([
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'api_key',
    'apiKey',
    'api-key',
    'X-API-Key',
    'x-auth-token',
    'x-csrf-token',
    'x-xsrf-token',
    'access_token',
    'refresh_token',
    'id_token',
    'bearer_token',
    'client_secret',
    'secret',
    'password',
    'passwd',
    'private_key',
    'session_token',
    'page_token',
    'hook_secret',
    'db_password',
    'my_apikey',
    'MY_API_KEY',
  ])('lose the whole value of %s', (name) => {
    const { value, hits } = new Redactor().redactForLog({ headers: { [name]: ['opaque', { a: 1 }] } });
    expect(value).toEqual({ headers: { [name]: '[redacted]' } });
    expect(hits).toEqual([
      { path: `headers.${name}`, class: 'sensitive_field', name: 'secret_name', replacement: '[redacted]' },
    ]);
  });

  it('keep null, names that only contain a secret word, and what is redacted already', () => {
    const record = {
      secret: null,
      secrets: 1,
      token: 'page',
      tokens: 3,
      password: '[redacted]',
      password_hint: 'x',
    };
    expect(new Redactor().redactForLog(record)).toEqual({ value: record, hits: [] });
  });

  it('also lose secrets in texts', () => {
    expect(new Redactor().redactForLog({ message: `got ${TOKEN}` }).value).toEqual({
      message: `got ${MARK}`,
    });
  });

  it('may hold anything, even themselves', () => {
    const error = Object.assign(new Error(`refused ${TOKEN}`, { cause: new Error('why') }), {
      code: 'EFAIL',
    });
    const record: Record<string, unknown> = {
      error,
      at: new Date(0),
      bytes: new Uint8Array(3),
      list: new Set([1n, Number.NaN]),
      map: new Map([['password', 'x']]),
      gone: undefined,
      call: () => 1,
    };
    record['self'] = record;
    const { value } = new Redactor().redactForLog(record);
    expect(value).toMatchObject({
      error: { name: 'Error', message: `refused ${MARK}`, code: 'EFAIL', cause: { message: 'why' } },
      at: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      list: ['1', 'NaN'],
      map: { password: '[redacted]' },
    });
    expect(Object.keys(value as object)).not.toContain('call');
    expect(JSON.stringify(value)).not.toContain(TOKEN);
  });
});

describe('R-05 redaction', () => {
  const fragment = fc.oneof(
    fc.constantFrom(...SHAPE_SAMPLES.map(({ secret }) => secret)),
    fc.constantFrom(...CONTEXT_SAMPLES.map(({ text }) => text)),
    fc.constantFrom(...NEAR_MISSES),
    fc.constantFrom(
      KNOWN,
      encodeURIComponent(KNOWN),
      Buffer.from(KNOWN).toString('base64'),
      MARK,
      '[redacted]',
    ),
    fc.constantFrom(
      'password=',
      'token: "',
      'Bearer ',
      '://',
      '@',
      '?token=',
      '"',
      ' ',
      '\n',
      '\\',
      '<',
      '>',
      '-',
      '.',
    ),
    fc.string({ maxLength: 8 }),
  );
  const text = fc.array(fragment, { maxLength: 8 }).map((pieces) => pieces.join(''));

  it('changes nothing when it is done again', () => {
    const redactor = redactorWith(KNOWN);
    fc.assert(
      fc.property(text, (each) => {
        const once = redactor.redactText(each);
        expect(redactor.redactText(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('changes nothing when it is done again where a hidden part of a URL made a value as long as a secret', () => {
    const once = redactorWith(KNOWN).findInText('password=Bearer ://$@');
    expect(once.text).toMatch(/^password=Bearer <redacted:secret_assignment:\d+>$/);
    expect(once.hits.map(({ name }) => name)).toEqual(['secret_assignment']);
    expect(redactorWith(KNOWN).redactText(once.text)).toBe(once.text);
  });

  it('gives the same result in another process with the same secrets', () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(redactorWith(KNOWN, 'another one').redactValue(texts)).toEqual(
          redactorWith('another one', KNOWN).redactValue(texts),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('never leaves a known secret', () => {
    const redactor = redactorWith(KNOWN);
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(redactor.redactText(`${before}${KNOWN}${after}`)).not.toContain(KNOWN);
      }),
      { numRuns: 1000 },
    );
  });
});
