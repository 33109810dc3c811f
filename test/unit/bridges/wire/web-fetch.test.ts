import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebFetch, type WebFetch } from '../../../../bridges/wire/web-fetch.ts';

const CONNECTIONS = 4;
const BIG = 64 * 1024 * 1024;

describe('the fetch of libraries that bring their own HTTP logic', () => {
  let web: WebFetch;
  let url = '';
  let answer: (req: IncomingMessage, res: ServerResponse) => void = () => undefined;
  let connected = 0;
  const server = createServer((req, res) => answer(req, res)).on('connection', () => {
    connected += 1;
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?a=b`;
    web = createWebFetch({
      connectTimeoutMs: 5_000,
      connections: CONNECTIONS,
      headers: async () => ({ authorization: 'Bearer own' }),
    });
  });
  afterAll(async () => {
    await web.close();
    server.closeAllConnections();
    server.close();
  });

  it('sends a text with its own headers in place of those of the library, and reads the answer', async () => {
    answer = (req, res) => {
      const chunks: Buffer[] = [];
      req
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .once('end', () => {
          const said = { url: req.url, method: req.method, sent: Buffer.concat(chunks).toString('utf8') };
          res.setHeader('set-cookie', ['a=1', 'b=2']);
          res.end(JSON.stringify({ ...said, ...req.headers }));
        });
    };
    const headers = { authorization: 'Bearer of the library', 'x-a': 'é'.normalize('NFC') };
    const got = await web.request(url, { method: 'POST', headers, body: '{"text":"ü"}' });
    expect(got.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await got.json()).toMatchObject({
      url: '/mcp?a=b',
      method: 'POST',
      sent: '{"text":"ü"}',
      authorization: 'Bearer own',
      'accept-encoding': 'identity',
      'content-length': '13',
    });
  });

  it('a redirect is an answer', async () => {
    answer = (_req, res) => res.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    const got = await web.request(url, { method: 'POST', body: '{}' });
    expect([got.status, got.headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/']);
  });

  it.each([202, 204])('an answer of %i without a body gives its connection back unread', async (status) => {
    answer = (req, res) => req.resume().once('end', () => res.writeHead(status).end());
    connected = 0;
    for (let at = 0; at < 10; at += 1) {
      const got = await web.request(url, { method: 'POST', body: '{}' });
      expect([got.status, got.body]).toEqual([status, null]);
    }
    expect(connected).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('events are read as they come; who stops reading ends the request', async () => {
    let ended: () => void = () => undefined;
    const isEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    answer = (_req, res) => {
      res.once('close', ended).writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
    };
    const reader = (await web.request(url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    await reader?.cancel();
    await isEnded;
  });

  it('what breaks off is no whole answer, and a refused connection none', async () => {
    answer = (_req, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('half', () => res.destroy());
    };
    const got = await web.request(url);
    await expect(got.text()).rejects.toThrow();
    await expect(web.request('http://127.0.0.1:9/')).rejects.toThrow();
  });

  it('a request that is given up before its answer is over', async () => {
    const given = new AbortController();
    answer = () => given.abort();
    await expect(web.request(url, { signal: given.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a reader that waits is not sent everything', async () => {
    let written = 0;
    answer = (_req, res) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (written < BIG) {
          written += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', more);
        }
        res.end();
      };
      more();
    };
    const reader = (await web.request(url)).body?.getReader();
    const first = (await reader?.read())?.value?.length ?? 0;
    expect(written).toBeLessThan(BIG);
    let read = first;
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      read += next.value.length;
    expect(read).toBe(BIG);
  });
});
