import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newApiKey } from '#auth/api-keys.ts';
import { Redactor } from '#redaction/redactor.ts';

const random = { bytes: (count: number) => randomBytes(count) };

describe('a key of this gateway that nobody told the redactor about', () => {
  it.each(['live', 'dev'])('is hidden by its shape: %s', (environment) => {
    const redactor = new Redactor();
    for (const id of ['development', 'ci', 'a.b-c_d', 'x'.repeat(64)]) {
      for (let round = 0; round < 50; round += 1) {
        const key = newApiKey(environment, id, random as never);
        const mark = `<redacted:harn_api_key:${key.length}>`;
        expect(redactor.redactText(`use ${key}.`)).toBe(`use ${mark}.`);
        expect(redactor.redactValue({ key }).value).toEqual({ key: mark });
      }
    }
  });

  it('is not seen in names that begin like one', () => {
    const redactor = new Redactor();
    for (const text of ['harn_live_sessions', 'harn_gateway_upstream_requests_in_flight_total', 'harn_dev_'])
      expect(redactor.redactText(text)).toBe(text);
  });
});
