import { describe, expect, it } from 'vitest';
import { signA2aCard } from '#cards/sign-card.ts';
import type { A2aAgentCard } from '#resources/discovery/schema.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { keeper } from '../../harness/keeper.ts';
import { json } from '../../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { cards } from '../../harness/peers/scripted-cards.ts';
import { newKey } from '../../unit/cards/card-world.ts';

const WELL_KNOWN = '/.well-known/agent-card.json';
const key = newKey();

interface Listed {
  data: { id: string; card_state: string; card_signature: { status: string } | null }[];
}

describe('agents behind the gateway', () => {
  const { kept, keptFolder } = keeper();

  async function signedAgent(): Promise<ScriptedPeer> {
    const peer: ScriptedPeer = await startScriptedAgent({
      [`GET ${WELL_KNOWN}`]: () =>
        json(signA2aCard(cards.hybrid(peer.url) as unknown as A2aAgentCard, key, `${peer.url}/keys.json`)),
      'GET /keys.json': json({ keys: [key.jwk] }),
    });
    return kept(peer);
  }

  async function gatewayOf(a2a: object[], data?: string): Promise<TestGateway> {
    const config = { upstreams: { a2a } };
    return kept(await startTestGateway({ config, ...(data === undefined ? {} : { data }) }));
  }

  const statesOf = async ({ client }: TestGateway) =>
    (await client.get<Listed>('/v1/agents')).data.map(({ id, card_state, card_signature }) => [
      id,
      card_state,
      card_signature?.status ?? null,
    ]);

  it('are listed with what is known of their cards', async () => {
    const signed = await signedAgent();
    const plain = kept(await startScriptedAgent({}));
    const gateway = await gatewayOf([
      { id: 'signed', card: signed.cardUrl },
      { id: 'plain', card: plain.cardUrl },
      { id: 'gone', card: 'http://127.0.0.1:1/card.json' },
    ]);
    await expect
      .poll(() => statesOf(gateway))
      .toEqual([
        ['gone', 'missing', null],
        ['plain', 'current', 'unsigned'],
        ['signed', 'current', 'verified'],
      ]);
    const { data } = await gateway.client.get<{ data: object[] }>('/v1/agents');
    expect(data[2]).toMatchObject({
      object: 'agent',
      route: 'a2a:signed',
      name: 'Scripted agent',
      card_signature: { key_id: key.keyId, keys: 'origin', covers: 'card' },
    });
  });

  it('show the card they gave, and the gateway shows its own: with its URLs and its signature', async () => {
    const peer = await signedAgent();
    const gateway = await gatewayOf([{ id: 'shop', card: peer.cardUrl }]);
    await expect.poll(() => statesOf(gateway)).toEqual([['shop', 'current', 'verified']]);
    const upstream = await gateway.client.get<{ card: Record<string, unknown> }>(
      '/v1/agents/shop/upstream-card',
    );
    expect(upstream).toMatchObject({
      object: 'upstream_card',
      url: peer.cardUrl,
      state: 'current',
      signature: { status: 'verified' },
      card: { url: `${peer.url}/rpc`, signatures: [{}, {}] },
    });
    const own = await gateway.client.get<Record<string, unknown>>(`/a2a/shop${WELL_KNOWN}`);
    expect(own).toMatchObject({ name: 'Scripted agent', skills: [{ id: 'any' }] });
    expect(JSON.stringify(own)).not.toContain(new URL(peer.url).host);
    expect(own['signatures']).not.toEqual(upstream.card['signatures']);
  });

  it('have no card to show while they never answered, and absent ones are 404', async () => {
    const gateway = await gatewayOf([{ id: 'gone', card: 'http://127.0.0.1:1/card.json' }]);
    for (const id of ['gone', 'nobody'])
      expect((await gateway.client.call('GET', `/v1/agents/${id}/upstream-card`)).status).toBe(404);
    const own = await gateway.client.get(`/a2a/gone${WELL_KNOWN}`);
    expect(own).toMatchObject({ name: 'gone', skills: [] });
  });

  it('that are down keep their last good card, also after a restart of the gateway', async () => {
    const data = keptFolder();
    const peer = await signedAgent();
    const agents = [{ id: 'shop', card: peer.cardUrl }];
    const first = await gatewayOf(agents, data);
    await expect.poll(() => statesOf(first)).toEqual([['shop', 'current', 'verified']]);
    const before = await first.client.get<{ card: object }>('/v1/agents/shop/upstream-card');
    await first.close();
    await peer.close();
    const second = await gatewayOf(agents, data);
    expect(await statesOf(second)).toEqual([['shop', 'kept', 'verified']]);
    expect(await second.client.get('/v1/agents/shop/upstream-card')).toEqual({ ...before, state: 'kept' });
    const own = await second.client.get(`/a2a/shop${WELL_KNOWN}`);
    expect(own).toMatchObject({ name: 'Scripted agent', signatures: expect.any(Array) });
  });
});
