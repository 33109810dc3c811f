import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock, systemRandom } from '#compose/compose.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import type { Peer } from '../../../harness/peers/peer.ts';
import { startSampleAgent } from '../../../harness/peers/sample-agent.ts';
import { runCommand } from '../../../interop/command-line.ts';

describe('command line: cards', () => {
  const directory = mkdtempSync(join(tmpdir(), 'harn-cards-'));
  let agent: Peer;
  let gateway: TestGateway;
  let keys = '';
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
    const described = () => gateway.client.get<{ data: object[] }>('/v1/skills');
    await vi.waitUntil(async () => (await described()).data.length > 0, { timeout: 15_000 });
    const registry = openKeyRegistry({
      dir: join(gateway.data, 'keys'),
      clock: systemClock,
      random: systemRandom,
    });
    keys = file('jwks.json', registry.publicJwks());
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function file(name: string, content: unknown): string {
    const path = join(directory, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  const shown = async (...args: string[]) => {
    const { code, out } = await runCommand(['card', 'show', ...args, '--url', gateway.url]);
    expect(code).toBe(0);
    return JSON.parse(out) as Record<string, unknown>;
  };
  const verify = async (...args: string[]) => {
    const { code, out, err } = await runCommand(['card', 'verify', ...args]);
    const verdicts =
      out === ''
        ? []
        : out
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => line.split(/ {2,}/).slice(0, 3));
    return { code, verdicts, err };
  };

  it('shows the card of the gateway, and that of an agent, without a key', async () => {
    expect(await shown()).toMatchObject({ object: 'harn_agent_card', signature: { algorithm: 'ed25519' } });
    expect(await shown('--agent', 'sample')).toMatchObject({
      name: expect.any(String),
      signatures: [{}, {}, {}],
    });
    const { code, err } = await runCommand(['card', 'show', '--agent', 'nobody', '--url', gateway.url]);
    expect([code, err]).toEqual([1, expect.stringContaining('Check the name of the agent')]);
  });

  it('verifies the cards of a running gateway', async () => {
    const name = (await shown())['name'];
    expect(await verify('--url', gateway.url, '--jwks', keys)).toEqual({
      code: 0,
      err: '',
      verdicts: [
        ['harn_agent_card', name, 'verified'],
        ['harn_agent_card.a2a_card', name, 'verified'],
        ['a2a_card', name, 'verified'],
      ],
    });
  });

  it('verifies cards from files, with no gateway in sight', async () => {
    const harn = file('harn.json', await shown());
    const a2a = file('a2a.json', await shown('--agent', 'sample'));
    expect((await verify(harn, '--jwks', keys)).code).toBe(0);
    expect((await verify(a2a, '--jwks', keys)).verdicts).toEqual([
      ['a2a_card', expect.anything(), 'verified'],
    ]);
  });

  it('tells with exit code 1 which part of a card was changed', async () => {
    const card = await shown();
    const outer = file('outer.json', { ...card, public_url: 'https://evil.example.com' });
    expect(await verify(outer, '--jwks', keys)).toMatchObject({
      code: 1,
      verdicts: [
        ['harn_agent_card', card['name'], 'invalid_signature'],
        ['harn_agent_card.a2a_card', card['name'], 'verified'],
      ],
    });
    const a2a_card = { ...(card['a2a_card'] as object), description: 'Forged.' };
    const inner = file('inner.json', { ...card, a2a_card });
    expect((await verify(inner, '--jwks', keys)).verdicts.map(([, , status]) => status)).toEqual([
      'invalid_signature',
      'invalid_signature',
    ]);
    const bare = file('bare.json', { ...card, signature: null });
    expect((await verify(bare, '--jwks', keys)).verdicts[0]?.[2]).toBe('unsigned');
    const other = file('other.json', { ...card, signature: { algorithm: 'hs256', key_id: 'x', value: 'y' } });
    expect((await verify(other, '--jwks', keys)).verdicts[0]?.[2]).toBe('algorithm_refused');
  });

  it('does not accept the card of another gateway', async () => {
    const none = file('none.json', { keys: [] });
    const harn = file('harn.json', await shown());
    expect(await verify(harn, '--jwks', none)).toMatchObject({
      code: 1,
      verdicts: [expect.arrayContaining(['unknown_key']), expect.arrayContaining(['unknown_key'])],
    });
  });

  it('prints one JSON object per card for programs', async () => {
    const harn = file('harn.json', await shown());
    const { out } = await runCommand(['card', 'verify', harn, '--jwks', keys, '--json']);
    const [first] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({
      card: 'harn_agent_card',
      status: 'verified',
      keys: 'pinned',
      covers: 'card',
    });
  });

  it('wants to be told which keys to trust, and files that are clean JSON', async () => {
    const harn = file('harn.json', await shown());
    expect(await verify(harn)).toMatchObject({ code: 2, err: expect.stringContaining('--jwks') });
    const twice = file('twice.json', '{"name":"a","name":"b"}');
    expect(await verify(twice, '--jwks', keys)).toMatchObject({ code: 1 });
    expect(await verify(harn, '--jwks', twice)).toMatchObject({ code: 1 });
    expect(await verify(harn, '--jwks', file('no-set.json', {}))).toMatchObject({ code: 2 });
    expect(await verify(join(directory, 'gone.json'), '--jwks', keys)).toMatchObject({ code: 2 });
  });
});
