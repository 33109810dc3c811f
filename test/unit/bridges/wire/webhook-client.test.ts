import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../../bridges/wire/address-guard.ts';
import { WebhookClient } from '../../../../bridges/wire/webhook-client.ts';
import { closeServer, listenOnLoopback } from '../../../harness/peers/peer.ts';
import { hastyTimers } from '../../../harness/upstream-stage.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function receiver(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  const url = await listenOnLoopback(server);
  open.push(() => closeServer(server));
  return { url, server };
}

function client(
  resolve: (hostname: string) => Promise<readonly string[]> = async () => [],
  { allow = ['127.0.0.1'], timers = hastyTimers() } = {},
) {
  const made = new WebhookClient({ guard: new AddressGuard(allow, resolve), timers });
  open.push(() => made.close());
  return made;
}

const call = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{"a":1}' });

describe('calling a webhook', () => {
  it('posts the body and tells the status, and when to come back', async () => {
    let got = '';
    const { url } = await receiver(async (request, response) => {
      for await (const chunk of request) got += chunk;
      response.writeHead(503, { 'retry-after': '7' }).end('busy');
    });
    expect(await client().post(call(`${url}/hook`))).toEqual({
      kind: 'answered',
      status: 503,
      retryAfterSeconds: 7,
    });
    expect(got).toBe('{"a":1}');
  });

  it.each(['http://127.0.0.1:1/private', 'file:///etc/passwd', 'gopher://127.0.0.1:1/', '/elsewhere'])(
    '[X-03] does not follow a redirect to %s',
    async (location) => {
      const paths: (string | undefined)[] = [];
      const { url } = await receiver((request, response) => {
        paths.push(request.url);
        response.writeHead(302, { location }).end();
      });
      expect(await client().post(call(`${url}/hook`))).toMatchObject({ kind: 'answered', status: 302 });
      expect(paths).toEqual(['/hook']);
    },
  );

  it('[X-02] connects to no address that the name was not checked for', async () => {
    let calls = 0;
    const { url } = await receiver((_, response) => {
      calls += 1;
      response.end();
    });
    const { port } = new URL(url);
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const rebinding = client(async () => answers.shift() ?? []);
    expect(await rebinding.post(call(`http://rebind.example:${port}/`))).toEqual({
      kind: 'refused',
      reason: 'address',
    });
    expect(calls).toBe(0);
    const steady = client(async () => ['127.0.0.1']);
    expect(await steady.post(call(`http://rebind.example:${port}/`))).toMatchObject({ status: 200 });
  });

  it('refuses at each call what the guard refuses', async () => {
    const { url } = await receiver((_, response) => response.end());
    const strict = client(undefined, { allow: [] });
    expect(await strict.post(call(url))).toEqual({ kind: 'refused', reason: 'address' });
  });

  it('[X-08] gives up on a receiver that hangs', async () => {
    const { url } = await receiver(() => undefined);
    const hasty = client(undefined, { timers: hastyTimers(15_000) });
    expect(await hasty.post(call(url))).toEqual({ kind: 'failed', reason: 'timeout' });
  });

  it('[X-08] reads a bounded part of an answer of 5 GB', async () => {
    let sent = 0;
    const { url } = await receiver((_, response) => {
      response.writeHead(200, { 'content-length': String(5 * 2 ** 30) });
      const chunk = Buffer.alloc(64 * 1024);
      const pour = () => {
        while (!response.destroyed && sent < 5 * 2 ** 30) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    const outcome = await client().post(call(url));
    expect(['answered', 'failed']).toContain(outcome.kind);
    expect(sent).toBeLessThan(64 * 2 ** 20);
  });

  it('tells in one word why there was no answer', async () => {
    const { url, server } = await receiver((request) => request.socket.destroy());
    expect(await client().post(call(url))).toEqual({ kind: 'failed', reason: 'lost' });
    await closeServer(server);
    open.pop();
    expect(await client().post(call(url))).toEqual({ kind: 'failed', reason: 'refused' });
  });
});
