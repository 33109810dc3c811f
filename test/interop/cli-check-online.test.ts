import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import card from '../../config/sample-agent/card.json' with { type: 'json' };
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import { closeServer, listenOnLoopback } from '../harness/peers/peer.ts';
import { signingPair, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { runCommand } from './command-line.ts';

let dir: string;
let issuer: TokenIssuerPeer;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'harn-check-'));
  issuer = await new TokenIssuerPeer().start();
  issuer.publish(await signingPair('key-1'), await signingPair('key-2'));
});
afterEach(async () => {
  await issuer.close().catch(() => undefined);
  rmSync(dir, { recursive: true, force: true });
});

function check(row: object = {}, ...flags: string[]) {
  const config = join(dir, 'gateway.yaml');
  const oauth = [{ issuer: issuer.url, audience: 'https://gateway.test', ...row }];
  writeFileSync(config, JSON.stringify({ store: { data: join(dir, 'data') }, auth: { oauth } }));
  return runCommand(['check', '--config', config, ...flags]);
}

it('check asks nobody by itself', async () => {
  expect((await check()).code).toBe(0);
  expect(issuer.asked).toEqual([]);
});

it('check --online says of each issuer that it is reached, and how many keys it has', async () => {
  const { code, out } = await check({}, '--online');
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(`auth.oauth[0] (${issuer.url}): reached; keys: 2.`),
  ]);
});

it.each<[string, Partial<TokenIssuerPeer['state']>, object, string]>([
  ['answers with an error', { status: 500 }, {}, 'answered 500'],
  ['publishes no keys', { jwks: { keys: [] } }, {}, 'no key for signatures'],
  ['signs with another algorithm', {}, { algorithms: ['RS256'] }, 'keys are for ES256'],
])('check --online ends with 1 for an issuer that %s, and says so', async (_what, state, row, words) => {
  Object.assign(issuer.state, state);
  const { code, out } = await check(row, '--online');
  expect([code, out]).toEqual([1, expect.stringMatching(new RegExp(`auth\\.oauth\\[0\\].*${words}`))]);
  const json = JSON.parse((await check(row, '--online', '--json')).out);
  const seen = { path: 'auth.oauth[0]', issuer: issuer.url, fault: expect.stringContaining(words) };
  expect(json).toMatchObject({ ok: false, faults: [], issuers: [seen] });
});

it('check --online ends with 1 for an issuer that is not there', async () => {
  await issuer.close();
  const { code, out } = await check({}, '--online');
  expect([code, out]).toEqual([1, expect.stringContaining('its tokens are not accepted now: ')]);
  expect(out).toContain('ECONNREFUSED');
});

it('check --online says which interfaces of a card come behind the one an agent is called by', async () => {
  const pages = createServer((_request, response) => {
    const at = { url: `http://${response.req.headers.host}/a2a` };
    const supportedInterfaces = [
      { ...at, protocolBinding: 'GRPC', protocolVersion: '0.3' },
      { ...at, protocolBinding: 'SMOKE', protocolVersion: '1.0' },
      { ...at, protocolBinding: 'GRPC', protocolVersion: '1.0' },
      { ...at, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ];
    response.end(JSON.stringify({ ...card, supportedInterfaces }));
  });
  const url = await listenOnLoopback(pages);
  const config = join(dir, 'choice.yaml');
  const a2a = [{ id: 'shop', card: `${url}/card.json` }];
  writeFileSync(config, JSON.stringify({ store: { data: join(dir, 'data') }, upstreams: { a2a } }));
  const { out } = await runCommand(['check', '--config', config, '--online']);
  expect(out).toMatch(/ is called by http\+json-1\.0, which comes before grpc-1\.0, grpc-0\.3 of its card\./);
  await closeServer(pages);
});

it('check --online says by which interface of its card an agent is called, and ends with 1 where there is none', async () => {
  const agents = [await startGrpcAgent(), await startAgent03({ binding: 'HTTP+JSON' })];
  const a2a = agents.map(({ cardUrl }, at) => ({ id: `agent${at}`, card: cardUrl }));
  const config = join(dir, 'agents.yaml');
  writeFileSync(config, JSON.stringify({ store: { data: join(dir, 'data') }, upstreams: { a2a } }));
  const { code, out } = await runCommand(['check', '--config', config, '--online']);
  expect([code, out]).toEqual([0, expect.stringMatching(/a2a:agent0: .* is called by grpc-1\.0\./)]);
  expect(out).toMatch(/a2a:agent1: .* is called by http\+json-0\.3\./);
  const [first] = agents;
  await first?.close();
  const gone = await runCommand(['check', '--config', config, '--online', '--json']);
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.out)).toMatchObject({
    ok: false,
    agents: [
      { route: 'a2a:agent0', fault: expect.any(String) },
      { route: 'a2a:agent1', spokenBy: 'http+json-0.3' },
    ],
  });
  await Promise.all(agents.slice(1).map((agent) => agent.close()));
});
