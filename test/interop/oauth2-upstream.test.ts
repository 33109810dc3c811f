import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';

/** Far more than it takes on a busy machine. */
const LATER = { timeout: 20_000 };
const CLIENT_SECRET = 'client-credential-41d9';

describe('agents that want an OAuth2 token of a real issuer', () => {
  let issuer: OAuth2Server;
  let agent: ScriptedPeer;
  let door: Server;
  let gateway: TestGateway;
  const issued: string[] = [];
  const forms: { authorization: string | undefined; body: unknown }[] = [];
  const knocked: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    issuer = new OAuth2Server();
    await issuer.issuer.keys.generate('RS256');
    await issuer.start(0, '127.0.0.1');
    issuer.service.on('beforeResponse', (answer, request) => {
      issued.push(String((answer.body as { access_token: string }).access_token));
      forms.push({ authorization: request.headers.authorization, body: request.body });
    });
    agent = await startScriptedAgent({
      SendStreamingMessage: stream(taskFrame('WORKING'), taskFrame('COMPLETED')),
    });
    door = createServer((request, response) => {
      knocked.push(request.headers);
      response.writeHead(403).end();
    });
    door.on('upgrade', ({ headers }, socket) => {
      knocked.push(headers);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    const { port } = door.address() as AddressInfo;
    const auth = (scope: string) => ({
      type: 'oauth2',
      token_url: `${issuer.issuer.url}/token`,
      client_id: 'gateway',
      scope,
      value: { vault: 'login/client' },
    });
    gateway = await startTestGateway({
      env: { LOGIN_CLIENT: CLIENT_SECRET },
      config: {
        vaults: [{ id: 'login', provider: 'environment', prefix: 'LOGIN_' }],
        upstreams: {
          a2a: [{ id: 'shop', card: agent.cardUrl, auth: auth('a2a') }],
          acp: [{ id: 'coder', url: `ws://127.0.0.1:${port}/acp`, auth: auth('acp') }],
          mcp: [{ id: 'files', url: `http://127.0.0.1:${port}/mcp`, auth: auth('mcp') }],
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    door.close();
    await issuer.stop();
  });

  const tokens = () => issued.map((token) => `Bearer ${token}`);
  const run = async (route: string) => {
    const { id } = await gateway.client.submit('go', undefined, { route });
    return gateway.client.until(id, 'COMPLETED', 'FAILED', 'AUTH_REQUIRED');
  };

  it('get one, by A2A, which is kept for the next call', async () => {
    for (let at = 0; at < 3; at += 1) expect(await run('a2a:shop')).toMatchObject({ status: 'COMPLETED' });
    const shown = new Set(agent.requests.map(({ headers }) => headers['authorization']));
    expect(shown.size).toBe(1);
    expect(tokens()).toContain([...shown][0]);
    const ofA2a = forms.filter(({ body }) => (body as { scope: string }).scope === 'a2a');
    const basic = `Basic ${Buffer.from(`gateway:${CLIENT_SECRET}`).toString('base64')}`;
    expect(ofA2a).toEqual([
      { authorization: basic, body: expect.objectContaining({ grant_type: 'client_credentials' }) },
    ]);
  });

  it('get one by ACP over a WebSocket, and by MCP over HTTP', async () => {
    await run('acp:coder');
    const shown = (upgraded: boolean) =>
      knocked
        .filter(({ upgrade }) => (upgrade !== undefined) === upgraded)
        .map(({ authorization }) => authorization);
    await expect.poll(() => shown(true).length, LATER).toBeGreaterThan(0);
    await expect.poll(() => shown(false).length, LATER).toBeGreaterThan(0);
    for (const authorization of [...shown(true), ...shown(false)]) expect(tokens()).toContain(authorization);
    expect(shown(true)[0]).not.toBe(shown(false)[0]);
  });

  it('are not called while there is none, and nothing tells the secret or a token', async () => {
    const before = agent.requests.length;
    const lost = await startTestGateway({
      env: { LOGIN_CLIENT: CLIENT_SECRET },
      config: {
        upstreams: {
          a2a: [
            {
              id: 'shop',
              card: agent.cardUrl,
              auth: {
                type: 'oauth2',
                token_url: 'http://127.0.0.1:9/',
                client_id: 'gateway',
                value: { env: 'LOGIN_CLIENT' },
              },
            },
          ],
        },
      },
    });
    const { id } = await lost.client.submit('go', undefined, { route: 'a2a:shop' });
    const failed = await lost.client.until(id, 'FAILED');
    expect(failed.failure).toMatchObject({ code: 'upstream_unavailable' });
    expect(agent.requests.length).toBe(before);
    const said = lost.logText() + gateway.logText() + JSON.stringify(failed);
    await lost.close();
    for (const secret of [CLIENT_SECRET, ...issued]) expect(said).not.toContain(secret);
  });
});
