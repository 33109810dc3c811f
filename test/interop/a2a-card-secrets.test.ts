import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stageHands } from '../harness/a2a-stage.ts';
import { taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { closeServer, listenOnLoopback } from '../harness/peers/peer.ts';
import { body, json, type Script, stream } from '../harness/peers/script.ts';
import { cards } from '../harness/peers/scripted-cards.ts';

const SECRET = 'a-credential-of-the-gateway-4711';

/** An agent whose card repeats the headers of whoever asks for it, in every place that is served again. */
async function startEcho(): Promise<{ server: Server; url: string; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'GET') {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: null, result: taskDone })}\n\n`);
      return;
    }
    const said = String(request.headers['authorization']);
    asked.push(request.headers['if-none-match']);
    const card = {
      ...cards.v1(url),
      name: `Echo of ${said}`,
      description: `You said ${said}.`,
      documentationUrl: `https://example.org/?as=${SECRET}`,
      skills: [{ id: 'echo', name: said, description: said, tags: [said], examples: [said] }],
      capabilities: { streaming: true, extensions: [{ uri: 'https://example.org/x', description: said }] },
    };
    response.setHeader('content-type', 'application/json');
    response.setHeader('etag', '"one"');
    if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
    else response.end(JSON.stringify(card));
  });
  const url = await listenOnLoopback(server);
  return { server, url, asked };
}

const taskDone = { task: { id: 'r1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } };

describe('the card of an agent that repeats the credential of the gateway', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-card-secrets-'));
  let gateway: TestGateway | undefined;
  let server: Server | undefined;
  afterEach(async () => {
    await gateway?.close();
    if (server) await closeServer(server);
    rmSync(data, { recursive: true, force: true });
  });

  it('is used, and neither kept, served nor logged with it, over a restart too', async () => {
    const echo = await startEcho();
    server = echo.server;
    const start = () =>
      startTestGateway({
        data,
        env: { ECHO_TOKEN: SECRET },
        config: {
          upstreams: {
            a2a: [
              {
                id: 'echo',
                card: `${echo.url}/.well-known/agent-card.json`,
                auth: { type: 'bearer', value: { env: 'ECHO_TOKEN' } },
              },
            ],
          },
        },
      });
    for (const round of ['first', 'second']) {
      gateway = await start();
      const { client } = gateway;
      const task = await client.submit('hi', undefined, { route: 'a2a:echo' });
      await client.until(task.id, 'COMPLETED');
      const served = await Promise.all(
        [
          '/v1/agents',
          '/v1/agents/echo/upstream-card',
          '/v1/skills',
          '/v1/agent-card',
          '/.well-known/agent-card.json',
          '/a2a/echo/.well-known/agent-card.json',
        ].map(async (path) => JSON.stringify((await client.call('GET', path)).body)),
      );
      expect(served[0], round).toContain('Echo of Bearer <redacted:');
      for (const text of served) expect(text).not.toContain(SECRET);
      const dir = join(data, 'agent-cards');
      const files = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
      expect(files).toHaveLength(1);
      for (const text of files) expect(text).not.toContain(SECRET);
      expect(gateway.logText()).not.toContain(SECRET);
      if (round === 'first') expect(gateway.logText()).toContain('the agent card holds secrets');
      await gateway.close();
      gateway = undefined;
    }
    // What is kept is not what the agent gave, so that its ETag proves nothing after a restart.
    expect(echo.asked).toEqual([undefined, undefined]);
  });
});

describe('a card that does not serve', () => {
  const { stage } = stageHands();
  const CARD = 'GET /.well-known/agent-card.json';

  it.each([
    ['is no JSON', { [CARD]: body('application/json', { send: '{' }) }, 'refused'],
    ['offers nothing usable', { [CARD]: json({ name: 'x', supportedInterfaces: [] }) }, 'refused'],
    ['is too large', { [CARD]: body('application/json', { flood: 1_100_000 }) }, 'refused'],
    ['is not there', { [CARD]: json({}, 404) }, 'not found'],
    ['is withheld', { [CARD]: json({}, 401) }, 'not read'],
    ['cannot be had', { [CARD]: json({}, 503) }, 'not read'],
  ] satisfies [string, Script, string][])(
    'because it %s is logged as what it is',
    async (_why, script, words) => {
      const said: unknown[] = [];
      const silent = () => undefined;
      const logger = {
        debug: silent,
        info: silent,
        error: silent,
        warn: (_: unknown, text: string) => said.push(text),
      };
      const works = { SendStreamingMessage: stream(taskFrame('COMPLETED')) };
      const { upstream } = await stage({ ...works, ...script }, {}, undefined, { logger });
      upstream.start();
      await expect.poll(() => said[0]).toBe(`agent card ${words}; there is none`);
    },
  );
});
