import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpooledBody } from '#resources/operations.ts';
import {
  AUTH,
  envelopeOf,
  eventually,
  RawClient,
  startSurface,
  type UnderTest,
} from './surface-under-test.ts';

const CAP = 64 * 1024;
const BUNDLES = 3000;
let under: UnderTest;
beforeEach(async () => {
  under = await startSurface({
    limits: { maxBodyBytes: CAP, maxArtifactBytes: 2 * CAP, maxBundleBytes: BUNDLES },
  });
});
afterEach(async () => {
  await under.close();
});

const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${under.url}/v1/tasks`, {
    method: 'POST',
    headers: { ...AUTH, 'Content-Type': 'application/json', ...headers },
    body,
  });

/** A request head on a bare socket, with the headers that every request needs. */
function open(lines: string, auth = true, path = '/v1/tasks'): RawClient {
  const common = auth ? Object.entries(AUTH).map(([name, value]) => `${name}: ${value}\r\n`) : [];
  return new RawClient(under.port).send(
    `POST ${path} HTTP/1.1\r\nHost: localhost:${under.port}\r\n${common.join('')}Content-Type: application/json\r\n${lines}\r\n`,
  );
}

describe('the content type', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'may be %s',
    async (type) => {
      expect((await send('{"a":1}', { 'Content-Type': type })).status).toBe(200);
      expect(under.gateway.calls[0]?.call.body).toEqual({ a: 1 });
    },
  );

  it.each([
    'text/plain',
    'application/json; charset=utf-7',
    'application/json; charset=utf-16',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain, application/json',
  ])('may not be %s', async (type) => {
    const response = await send('{}', { 'Content-Type': type });
    expect(response.status).toBe(400);
    expect(await envelopeOf(response)).toMatchObject({ code: 'invalid_request', param: 'Content-Type' });
    expect(under.gateway.calls).toEqual([]);
  });

  it('may not be left out', async () => {
    const response = await send(new Uint8Array([123, 125]), { 'Content-Type': '' });
    expect((await envelopeOf(response)).param).toBe('Content-Type');
  });

  it('does not make an encoded body acceptable', async () => {
    const response = await send(new Uint8Array(gzipSync('{}')), { 'Content-Encoding': 'gzip' });
    expect(response.status).toBe(400);
    expect((await envelopeOf(response)).param).toBe('Content-Encoding');
  });
});

describe('what is read strictly', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  it.each([
    ['half a value', '{"a":'],
    ['a duplicate name', '{"a":1,"a":2}'],
    ['an escaped duplicate name', '{"a":1,"\\u0061":2}'],
    ['__proto__', '{"__proto__":{"polluted":1}}'],
    ['depth 65', nested(65)],
    ['a million brackets', '['.repeat(CAP)],
    ['an endless number', '1e400'],
    ['half a surrogate pair', '"\\ud800"'],
    ['a byte order mark', '\ufeff{}'],
  ])('refuses %s with 400', async (_name, text) => {
    const response = await send(text);
    expect(response.status).toBe(400);
    expect((await envelopeOf(response)).code).toBe('invalid_request');
    expect(under.gateway.calls).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses bytes that are no UTF-8', async () => {
    expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  });

  it('accepts depth 64', async () => {
    expect((await send(nested(64))).status).toBe(200);
  });
});

describe('the size', () => {
  it('may be the cap and not a byte more', async () => {
    expect((await send(JSON.stringify('x'.repeat(CAP - 2)))).status).toBe(200);
    const response = await send(JSON.stringify('x'.repeat(CAP - 1)));
    expect(response.status).toBe(413);
    expect(await envelopeOf(response)).toMatchObject({
      code: 'payload_too_large',
      details: { max_bytes: CAP },
    });
  });

  it('is judged by the declared length before a byte is read', async () => {
    const client = open('Content-Length: 100000000\r\n');
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 413');
    expect(client.text.toLowerCase()).toContain('connection: close');
  });

  it('is judged while chunks come, and nothing past the cap is read', async () => {
    const server = under.surface.server;
    let bytesRead = () => 0;
    server.once('connection', (socket) => {
      bytesRead = () => socket.bytesRead;
    });
    const client = open('Transfer-Encoding: chunked\r\n');
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    for (let sent = 0; sent < 512; sent += 1) client.send(chunk);
    await client.until((text) => text.includes('payload_too_large'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.text).toContain('HTTP/1.1 413');
    expect(bytesRead()).toBeLessThan(CAP + 256 * 1024);
    client.socket.destroy();
  });

  it('has its own cap for raw uploads', async () => {
    const upload = (size: number) =>
      fetch(`${under.url}/v1/artifacts/a/content`, {
        method: 'PUT',
        headers: AUTH,
        body: new Uint8Array(size),
      });
    expect((await upload(2 * CAP)).status).toBe(200);
    expect((await upload(2 * CAP + 1)).status).toBe(413);
  });

  it('of a body nobody may send is not looked at: without credentials it is never read', async () => {
    const client = open('Content-Length: 100000000\r\n', false);
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 401');
    expect(under.gateway.calls[0]?.call.body).toBeUndefined();
  });
});

describe('a client that waits for 100-continue', () => {
  it('is told to go on when its body is wanted', async () => {
    const client = open('Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n');
    await client.until((text) => text.includes('100 Continue'));
    client.send('{}');
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 200');
  });

  it('is refused at once when its body is too large', async () => {
    const client = open('Content-Length: 100000000\r\nExpect: 100-continue\r\n');
    await client.closed;
    expect(client.text.startsWith('HTTP/1.1 413')).toBe(true);
  });
});

describe('bodies where none belongs', () => {
  it('are refused on GET', async () => {
    const client = new RawClient(under.port).send(
      `GET /v1/tasks HTTP/1.1\r\nHost: localhost:${under.port}\r\nAuthorization: Bearer test\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 400');
    expect(under.gateway.calls).toEqual([]);
  });
});

describe('bundles that are here at once', () => {
  const bundle = (bytes: number, what = 'import') =>
    fetch(`${under.url}/v1/bundles/${what}`, { method: 'POST', headers: AUTH, body: 'x'.repeat(bytes) });

  it('are whole in a file while they are looked at, however they come, and leave none', async () => {
    let seen = '';
    under.gateway.answer = async (_, call) => {
      const { spooled } = call.body as SpooledBody;
      seen = `${spooled.read(0, spooled.size)} ${spooled.sha256} ${readdirSync(under.spool).length}`;
      return { status: 200, body: { kind: 'json', value: {} } };
    };
    const client = open('Transfer-Encoding: chunked\r\nConnection: close\r\n', true, '/v1/bundles/import');
    for (const piece of ['4\r\nturn\r\n', '1\r\ns\r\n0\r\n\r\n']) client.send(piece);
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 200');
    expect(seen).toBe(`turns ${createHash('sha256').update('turns').digest('hex')} 1`);
    expect((await bundle(0, 'validate')).status).toBe(200);
    expect(seen).toContain(createHash('sha256').digest('hex'));
    const long = open('Transfer-Encoding: chunked\r\n', true, '/v1/bundles/import');
    long.send(`${(BUNDLES + 1).toString(16)}\r\n${'x'.repeat(BUNDLES + 1)}\r\n`);
    await long.until((text) => text.includes('payload_too_large'));
    expect(readdirSync(under.spool)).toEqual([]);
  });

  it('are bounded together until they are answered; one more is told to come again', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { answer } = under.gateway;
    under.gateway.answer = async (id, call) => {
      await finished;
      return answer(id, call);
    };
    const waiting = [bundle(1000), bundle(1000, 'validate')];
    await eventually(() => under.gateway.calls.length === 2);
    const refused = await bundle(1001);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const details = { max_bytes: BUNDLES };
    expect(await envelopeOf(refused)).toMatchObject({ code: 'rate_limited', details });
    expect((await bundle(BUNDLES + 1)).status).toBe(413);
    waiting.push(bundle(1000));
    await eventually(() => under.gateway.calls.length === 3);
    finish();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await bundle(BUNDLES)).status).toBe(200);
  });

  it.each([`Content-Length: ${BUNDLES}`, 'Transfer-Encoding: chunked'])(
    'have room again when a client left before its body was complete (%s)',
    async (length) => {
      const head = Object.entries({ Host: `localhost:${under.port}`, ...AUTH, Expect: '100-continue' });
      const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const client = new RawClient(under.port);
      client.send(`POST /v1/bundles/import HTTP/1.1\r\n${lines}${length}\r\n\r\n`);
      await eventually(() => client.text.includes('100 Continue'));
      expect((await bundle(1)).status).toBe(429);
      client.socket.destroy();
      await eventually(() => under.log.some(({ fields }) => fields['status'] === 499));
      await expect.poll(async () => (await bundle(BUNDLES)).status).toBe(200);
      expect(readdirSync(under.spool)).toEqual([]);
    },
  );
});

describe('a client that leaves', () => {
  it('before its body is complete is logged as 499 and never reaches the gateway', async () => {
    const client = open('Content-Length: 10\r\n').send('{"a"');
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.socket.destroy();
    await eventually(() => under.log.some((line) => line.message === 'request'));
    expect(under.log.find((line) => line.message === 'request')?.fields).toMatchObject({
      status: 499,
      error_code: 'client_closed_request',
    });
    expect(under.gateway.calls).toEqual([]);
  });

  it('before its answer is logged as 499 and its call is told', async () => {
    under.gateway.answer = (_id, call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () =>
          resolve({ status: 200, body: { kind: 'json', value: {} } }),
        );
      });
    const client = open('Content-Length: 2\r\n').send('{}');
    await eventually(() => under.gateway.calls.length === 1);
    client.socket.destroy();
    await eventually(() => under.log.some((line) => line.message === 'request'));
    expect(under.log.find((line) => line.message === 'request')?.fields['status']).toBe(499);
    expect(under.gateway.calls[0]?.call.signal.aborted).toBe(true);
  });
});
