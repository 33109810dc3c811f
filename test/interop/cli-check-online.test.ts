import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
