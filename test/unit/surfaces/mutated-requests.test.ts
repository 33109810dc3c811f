import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeAll(async () => {
  under = await startSurface();
});
afterAll(async () => {
  await under.close();
});

const BODY = '{"input":{"role":"user","parts":[]}}';
const headers = Object.entries(AUTH).map(([name, value]) => `${name}: ${value}\r\n`);
const valid = () =>
  `POST /v1/sessions/s%201/tasks?limit=5&cursor=abc HTTP/1.1\r\nHost: localhost:${under.port}\r\n${headers.join('')}` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`;

const BYTES = [
  '\r',
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '/',
  '..',
  '\u00ff',
  '{',
  '"',
  '0',
  'Transfer-Encoding: chunked\r\n',
];
const mutation = fc.record({
  at: fc.nat(),
  cut: fc.nat({ max: 12 }),
  put: fc.oneof(fc.constantFrom(...BYTES), fc.string({ maxLength: 6 })),
});

/** Applies cuts and insertions anywhere in the bytes of a valid request. */
function mutate(mutations: { at: number; cut: number; put: string }[]): string {
  return mutations.reduce((text, { at, cut, put }) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + cut);
  }, valid());
}

describe('a request broken anywhere', () => {
  it('is answered below 500 or closed, and the next one is served', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const client = new RawClient(under.port);
        client.socket.end(mutate(mutations), 'latin1');
        await client.closed;
        const statuses = [...client.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
      }),
      { numRuns: 500, seed: 20261121 },
    );
    expect((await fetch(`${under.url}/health`)).status).toBe(200);
    expect(under.log.filter((line) => line.level === 'error')).toEqual([]);
  });
});
