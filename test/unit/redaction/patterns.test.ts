import { describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';
import { CONTEXT_SAMPLES, NEAR_MISSES, SHAPE_SAMPLES } from './samples.ts';

const redactor = new Redactor();

describe('a secret recognised by its shape', () => {
  it.each(SHAPE_SAMPLES)('$name becomes a marker with its size in bytes', ({ name, secret }) => {
    const mark = `<redacted:${name}:${secret.length}>`;
    expect(redactor.redactText(secret)).toBe(mark);
    expect(redactor.redactText(`found "${secret}" here`)).toBe(`found "${mark}" here`);
    expect(redactor.redactText(`(${secret}) and\n${secret}`)).toBe(`(${mark}) and\n${mark}`);
  });

  it.each(SHAPE_SAMPLES)('$name keeps its name when it is assigned', ({ name, secret }) => {
    const text = redactor.redactText(`export MY_API_KEY="${secret}"; password='${secret}'`);
    const mark = `<redacted:${name}:${secret.length}>`;
    expect(text).toBe(`export MY_API_KEY="${mark}"; password='${mark}'`);
  });

  it('is not looked for inside a longer word', () => {
    const text = SHAPE_SAMPLES.filter(({ name }) => name !== 'private_key').map(({ secret }) => `x${secret}`);
    for (const each of text) expect(redactor.redactText(each)).toBe(each);
  });
});

describe('a secret recognised by what stands before it', () => {
  it.each(CONTEXT_SAMPLES)('$text', ({ text, clean }) => {
    expect(redactor.redactText(text)).toBe(clean);
  });

  it.each([
    ...[
      'api_key',
      'apiKey',
      'api-key',
      'access_token',
      'refreshToken',
      'id_token',
      'bearer_token',
      'session_token',
    ],
    ...[
      'x-auth-token',
      'x-csrf-token',
      'X-XSRF-TOKEN',
      'client_secret',
      'secret',
      'secret_key',
      'SecretAccessKey',
    ],
    ...[
      'password',
      'PASSWD',
      'passphrase',
      'private_key',
      'privateKey',
      'AccountKey',
      'my_secret',
      'my_token',
      'MY_APIKEY',
    ],
    ...['proxy-authorization', 'Authorization'],
  ])('is found behind the name %s', (name) => {
    expect(redactor.redactText(`x ${name}=q1w2e3r4`)).toBe(`x ${name}=<redacted:secret_assignment:8>`);
    expect(redactor.redactText(`"${name}" : "q1w2e3r4"`)).toBe(
      `"${name}" : "<redacted:secret_assignment:8>"`,
    );
    expect(redactor.redactText(`/x?a=1&${name}=q1`)).toBe(`/x?a=1&${name}=[redacted]`);
  });

  it('is measured in UTF-8 bytes', () => {
    expect(redactor.redactText('password="€€€€€€"')).toBe('password="<redacted:secret_assignment:18>"');
  });
});

describe('text that only looks like a secret', () => {
  it.each(NEAR_MISSES)('%s stays', (text) => {
    expect(redactor.redactText(text)).toBe(text);
  });
});
