import { describe, expect, it } from 'vitest';
import { signA2aCard } from '#cards/sign-card.ts';
import type { A2aAgentCard } from '#resources/discovery/schema.ts';
import type { A2aClientConfig } from '../../bridges/a2a/index.ts';
import type { BridgeDeps } from '../../bridges/bridge.ts';
import { stageHands } from '../harness/a2a-stage.ts';
import { taskFrame } from '../harness/a2a-words.ts';
import { body, json, type Script, stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { a2aUpstream, hastyTimers, TaskOnStage } from '../harness/upstream-stage.ts';
import { newKey } from '../unit/cards/card-world.ts';

const { kept } = stageHands();
const CARD = 'GET /.well-known/agent-card.json';
const KEYS = 'GET /keys.json';
const works: Script = { SendStreamingMessage: stream(taskFrame('COMPLETED')) };
const key = newKey();
const published = json({ keys: [key.jwk] });

/** A signed card that says where its keys are; `change` is done after it was signed. */
const signedCard = (
  origin: string,
  { keyUrl = `${origin}/keys.json`, by = key, change = (card: object) => card } = {},
) => change(signA2aCard(cards.hybrid(origin) as unknown as A2aAgentCard, by, keyUrl));

async function agent(script: Script, card: (origin: string) => object = signedCard): Promise<ScriptedPeer> {
  const peer: ScriptedPeer = kept(
    await startScriptedAgent({ ...works, [CARD]: () => json(card(peer.url)), ...script }),
  );
  return peer;
}

async function verdictOf(peer: ScriptedPeer, config: Partial<A2aClientConfig> = {}) {
  const upstream = kept(a2aUpstream({ card: peer.cardUrl, ...config }));
  await new TaskOnStage(upstream).start('hi');
  return upstream.describe()?.card?.signature;
}

describe('the signature of an agent card', () => {
  it('is verified with the keys that the origin of the card publishes', async () => {
    const peer = await agent({ [KEYS]: published });
    expect(await verdictOf(peer)).toMatchObject({
      status: 'verified',
      keys: 'origin',
      key_id: key.keyId,
      covers: 'card',
    });
    const request = await peer.arrived(KEYS);
    expect(request.headers.authorization).toBeUndefined();
  });

  it('is verified with pinned keys, and then nothing is asked for', async () => {
    const peer = await agent({});
    expect(await verdictOf(peer, { card_keys: [key.jwk] })).toMatchObject({
      status: 'verified',
      keys: 'pinned',
    });
    expect(peer.requests.filter(({ operation }) => operation === KEYS)).toEqual([]);
  });

  it('made by another key is unknown_key when keys are pinned, whatever the agent publishes', async () => {
    const other = newKey();
    const peer = await agent({ [KEYS]: json({ keys: [other.jwk] }) }, (origin) =>
      signedCard(origin, { by: other }),
    );
    expect(await verdictOf(peer)).toMatchObject({ status: 'verified', keys: 'origin' });
    expect(await verdictOf(peer, { card_keys: [key.jwk] })).toMatchObject({ status: 'unknown_key' });
  });

  it('that names keys elsewhere is key_url_refused, and elsewhere is not asked', async () => {
    const elsewhere = await agent({ [KEYS]: published });
    for (const keyUrl of [
      `${elsewhere.url}/keys.json`,
      'file:///etc/keys',
      'http://user@127.0.0.1/',
      'nowhere',
    ]) {
      const peer = await agent({}, (origin) => signedCard(origin, { keyUrl }));
      expect(await verdictOf(peer)).toMatchObject({ status: 'key_url_refused' });
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([
    ['are not there', json({}, 404)],
    ['are elsewhere now', { status: 302, headers: { Location: '/other.json' }, actions: [] }],
    ['are no JSON', body('application/json', { send: '<html>' })],
    ['are no list', json({ keys: 'none' })],
    ['do not end', body('application/json', { flood: 2 ** 20 })],
  ])('is keys_unavailable when its keys %s', async (_, reply) => {
    const peer = await agent({ [KEYS]: reply, 'GET /other.json': published });
    expect(await verdictOf(peer)).toMatchObject({ status: 'keys_unavailable' });
    expect(peer.requests.filter(({ operation }) => operation === 'GET /other.json')).toEqual([]);
  });

  it('over another card is invalid_signature, and the agent is used all the same unless one is required', async () => {
    const change = (card: object) => ({ ...card, description: 'Forged.' });
    const peer = await agent({ [KEYS]: published }, (origin) => signedCard(origin, { change }));
    const free = kept(a2aUpstream({ card: peer.cardUrl }));
    expect((await new TaskOnStage(free).start('hi')).past.status).toBe('COMPLETED');
    expect(free.describe()?.card?.signature.status).toBe('invalid_signature');
    const strict = kept(a2aUpstream({ card: peer.cardUrl, card_signature: 'required' }));
    const refused = await new TaskOnStage(strict).start('hi');
    expect(refused.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'card_signature' },
    });
    expect(strict.describe()).toBeUndefined();
  });

  it('is required of an unsigned card too', async () => {
    const peer = await agent({}, cards.v1);
    const strict = kept(a2aUpstream({ card: peer.cardUrl, card_signature: 'required' }));
    expect((await new TaskOnStage(strict).start('hi')).past.failure).toMatchObject({
      details: { reason: 'card_signature' },
    });
  });

  it('vouches for what it covers alone: a required one over the 1.0 members leaves the others unread', async () => {
    const change = (card: object) => ({ ...card, url: 'http://127.0.0.1:9/evil', protocolVersion: '0.3.0' });
    const peer = await agent({ [KEYS]: published }, (origin) => signedCard(origin, { change }));
    const config = { card: peer.cardUrl, card_signature: 'required' as const };
    const newer = kept(a2aUpstream(config));
    expect((await new TaskOnStage(newer).start('hi')).past.status).toBe('COMPLETED');
    expect(newer.describe()?.card?.signature).toMatchObject({ status: 'verified', covers: 'a2a_members' });
    const older = kept(a2aUpstream({ ...config, protocol: '0.3' }));
    expect((await new TaskOnStage(older).start('hi')).past.failure).toMatchObject({
      details: { reason: 'no_usable_interface' },
    });
  });

  it('is judged again when the card has not changed: its key may have been withdrawn', async () => {
    let ms = 0;
    const clock = { now: () => ms, monotonic: () => ms };
    const peer: ScriptedPeer = await agent({
      [CARD]: [() => json(signedCard(peer.url), 200, { ETag: '"1"' }), { status: 304, actions: [] }],
      [KEYS]: [published, json({ keys: [], revoked_keys: [key.jwk] })],
    });
    const upstream = kept(a2aUpstream({ card: peer.cardUrl }, { clock }));
    await new TaskOnStage(upstream).start('hi');
    expect(upstream.describe()?.card?.signature.status).toBe('verified');
    ms += 300_001;
    await new TaskOnStage(upstream).start('hi');
    await expect.poll(() => upstream.describe()?.card?.signature.status).toBe('key_not_valid');
  });
});

describe('the last good card', () => {
  /** What the gateway keeps between two starts. */
  function shelf() {
    const records = new Map<string, string>();
    const keptCards: BridgeDeps['keptCards'] = {
      load: (route) => records.get(route),
      save: async (route, record) => void records.set(route, record),
    };
    return { records, keptCards };
  }

  it('describes the agent while it is down, also after a restart of the gateway', async () => {
    const { keptCards } = shelf();
    const peer = await agent({ [KEYS]: published });
    const first = kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }));
    await new TaskOnStage(first).start('hi');
    const known = first.describe();
    expect(known?.card).toMatchObject({ isCurrent: true });
    await first.close();
    await peer.close();
    const second = kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }));
    // How far apart the clocks are is said by who answers now.
    const { skewMs, ...ofCard } = known ?? {};
    expect(skewMs).toBeTypeOf('number');
    expect(second.describe()).toEqual({ ...ofCard, card: { ...known?.card, isCurrent: false } });
    const turn = await new TaskOnStage(second).start('hi');
    expect(turn.past.failure?.code).toBe('upstream_unavailable');
    expect(second.describe()?.name).toBe('Scripted agent');
  });

  it('is replaced as soon as the agent answers again, before the next turn uses it', async () => {
    const { keptCards } = shelf();
    const peer = await agent({});
    const first = kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }));
    await new TaskOnStage(first).start('hi');
    await peer.close();
    const port = Number(new URL(peer.url).port);
    const moved = (origin: string) => ({ ...cards.rest(origin), name: 'Moved' });
    const again = kept(
      await startScriptedAgent({ 'POST /rest/message:stream': stream() }, { port, card: moved }),
    );
    const second = kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }));
    expect(second.describe()?.name).toBe('Scripted agent');
    await new TaskOnStage(second).start('hi');
    expect(second.describe()).toMatchObject({ name: 'Moved', card: { isCurrent: true } });
    expect(again.requests.map(({ operation }) => operation)).toContain('POST /rest/message:stream');
  });

  it('is looked for in the background until the agent answers, and is current then', async () => {
    const { keptCards } = shelf();
    const peer = await agent({});
    const first = kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }));
    await new TaskOnStage(first).start('hi');
    await peer.close();
    const second = kept(
      a2aUpstream({ card: peer.cardUrl }, { keptCards, timers: hastyTimers(1_000, 2_000) }),
    );
    second.start();
    const port = Number(new URL(peer.url).port);
    kept(await startScriptedAgent(works, { port }));
    await expect.poll(() => second.describe()?.card?.isCurrent).toBe(true);
  });

  it.each([
    [
      'of another card URL',
      (record: string) => record.replace(/"configured":"[^"]*"/, '"configured":"http://x/"'),
    ],
    ['that is damaged', (record: string) => record.slice(0, -1)],
    ['of another version', (record: string) => record.replace('"version":1', '"version":2')],
    ['whose text is no card', (record: string) => record.replace(/"text":".*?[^\\]",/, '"text":"[]",')],
  ])('is not used from a record %s', async (_, spoil) => {
    const { records, keptCards } = shelf();
    const peer = await agent({}, cards.v1);
    await new TaskOnStage(kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }))).start('hi');
    for (const [route, record] of records) records.set(route, spoil(record));
    expect(kept(a2aUpstream({ card: peer.cardUrl }, { keptCards })).describe()).toBeUndefined();
  });

  it('is not used where a signature is required and it had none', async () => {
    const { keptCards } = shelf();
    const peer = await agent({}, cards.v1);
    await new TaskOnStage(kept(a2aUpstream({ card: peer.cardUrl }, { keptCards }))).start('hi');
    const strict = { card: peer.cardUrl, card_signature: 'required' as const };
    expect(kept(a2aUpstream(strict, { keptCards })).describe()).toBeUndefined();
  });
});
