import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, exchange, get, post, withPort } from './raw-http.ts';
import { eventually, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface();
});
afterEach(async () => {
  await under.close();
});

const SMUGGLED = 'GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n';
const BROKEN: [string, string][] = [
  [
    'a length and chunks',
    post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${SMUGGLED}`),
  ],
  [
    'chunks and a length',
    post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `0\r\n\r\n${SMUGGLED}`),
  ],
  ['two lengths', post('Content-Length: 2\r\nContent-Length: 40\r\n', `{}${SMUGGLED}`)],
  ['two equal lengths', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}')],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}')],
  ['a signed length', post('Content-Length: +2\r\n', '{}')],
  ['a negative length', post('Content-Length: -2\r\n', '{}')],
  ['a hexadecimal length', post('Content-Length: 0x2\r\n', '{}')],
  ['an endless length', post('Content-Length: 99999999999999999999999\r\n', '{}')],
  ['chunked, identity', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')],
  ['xchunked', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
  ['identity', post('Transfer-Encoding: identity\r\n', '0\r\n\r\n')],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['a space before the colon', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n')],
  ['a tab before the colon', post('Content-Length\t: 2\r\n', '{}')],
  ['a header without a colon', post('Content-Length 2\r\n', '{}')],
  ['a header without a name', post(': 2\r\n', '{}')],
  ['a folded header', post('X-A: 1\r\n Transfer-Encoding: chunked\r\n', '{}')],
  ['a bare line feed after a header', post('X-A: 1\nTransfer-Encoding: chunked\r\n', '{}')],
  ['a bare carriage return in a header', post('X-A: 1\rTransfer-Encoding: chunked\r\n', '{}')],
  ['a NUL in a header', post('X-A: 1\u0000\r\n', '{}')],
  ['a bad end of the head', 'GET /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\rX'],
  ['a chunk size that is no number', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a signed chunk size', post('Transfer-Encoding: chunked\r\n', '+2\r\n{}\r\n0\r\n\r\n')],
  ['an endless chunk size', post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension with a line feed', post('Transfer-Encoding: chunked\r\n', '2;a\nb\r\n{}\r\n0\r\n\r\n')],
  ['an unknown method', `SMUGGLE /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['a method in lower case', `get /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['no version', 'GET /v1/tasks\r\nHost: localhost\r\n\r\n'],
  ['an unknown version', 'GET /v1/tasks HTTP/3.7\r\nHost: localhost\r\n\r\n'],
  ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a space in the target', 'GET /v1/ta sks HTTP/1.1\r\nHost: localhost\r\n\r\n'],
];

describe('a request with broken framing', () => {
  it.each(BROKEN)('with %s gets one 400 envelope and the connection ends', async (_name, bytes) => {
    const received = answers(await exchange(under.port, bytes));
    expect(received.map(({ status }) => status)).toEqual([400]);
    expect(received[0]?.envelope.error).toMatchObject({ code: 'invalid_request', type: 'request_error' });
    expect(received[0]?.envelope.error.request_id).toMatch(/^req_/);
    expect(under.gateway.calls).toEqual([]);
  });

  it('that comes while another is answered ends the connection without a second answer', async () => {
    let release = () => {};
    under.gateway.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ status: 200, body: { kind: 'json', value: {} } });
      });
    const client = new RawClient(under.port).send(withPort(get('/v1/tasks'), under.port));
    await eventually(() => under.gateway.calls.length === 1);
    client.send('GET broken\r\n\r\n');
    await client.closed;
    release();
    expect(client.text).toBe('');
  });

  it('in its body only, refused by its head before, gets no second answer', async () => {
    const refused = `POST /v1/nothing HTTP/1.1\r\nHost: localhost:${under.port}\r\nContent-Length: 50\r\n\r\n{"a"`;
    const client = new RawClient(under.port).send(refused);
    await client.until((text) => text.endsWith('}'));
    client.socket.end();
    await client.closed;
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  });

  it('after a finished one is answered on its own', async () => {
    const client = new RawClient(under.port).send(withPort(get('/health'), under.port));
    await client.until((text) => text.endsWith('}'));
    client.send('GET broken\r\n\r\n');
    await client.closed;
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
