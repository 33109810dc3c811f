import { describe, expect, it } from 'vitest';
import { operations, stageHands, WAITS } from '../harness/a2a-stage.ts';
import { task, taskFrame } from '../harness/a2a-words.ts';
import { body, json, result, rpcError, type Script, stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { a2aUpstream, hastyTimers, TaskOnStage } from '../harness/upstream-stage.ts';

const { kept, stage } = stageHands();
const CARD = 'GET /.well-known/agent-card.json';
const works: Script = { SendStreamingMessage: stream(taskFrame('COMPLETED')) };

/** A clock that the test moves. */
function movingClock() {
  let ms = 0;
  return {
    clock: { now: () => ms, monotonic: () => ms },
    pass: (more: number) => {
      ms += more;
    },
  };
}

describe('the card', () => {
  it('is found in the background from the start, and describes the agent', async () => {
    const { upstream, peer } = await stage(works);
    expect(upstream.describe()).toBeUndefined();
    upstream.start();
    await expect.poll(() => upstream.describe()?.name).toBe('Scripted agent');
    expect(upstream.describe()?.raw).toEqual(cards.v1(peer.url));
  });

  it('is looked for in both well-known places below a base URL', async () => {
    const script = { ...works, [CARD]: json({}, 404) };
    const peer = kept(await startScriptedAgent(script));
    const old: ScriptedPeer = kept(
      await startScriptedAgent({
        ...script,
        'GET /.well-known/agent.json': () => json(cards.v1(old.url)),
      }),
    );
    const shown = new TaskOnStage(kept(a2aUpstream({ card: `${old.url}/` })));
    expect((await shown.start('hi')).past.status).toBe('COMPLETED');
    const lost = new TaskOnStage(kept(a2aUpstream({ card: `${peer.url}/` })));
    expect((await lost.start('hi')).past.failure?.code).toBe('upstream_unavailable');
  });

  it('is fetched once for all tasks that wait for it', async () => {
    const { upstream, peer } = await stage(works);
    const tasks = [1, 2, 3].map(() => new TaskOnStage(upstream));
    await Promise.all(tasks.map((shown) => shown.start('hi')));
    expect(tasks.map((shown) => shown.past.status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(peer.requests.filter(({ operation }) => operation === CARD)).toHaveLength(1);
  });

  it('is asked for again by its ETag when it is old, and stays when it has not changed', async () => {
    const { clock, pass } = movingClock();
    const peer: ScriptedPeer = kept(
      await startScriptedAgent({
        ...works,
        [CARD]: [() => json(cards.v1(peer.url), 200, { ETag: '"one"' }), { status: 304, actions: [] }],
      }),
    );
    const upstream = kept(a2aUpstream({ card: peer.cardUrl }, { clock }));
    await new TaskOnStage(upstream).start('hi');
    pass(300_001);
    await new TaskOnStage(upstream).start('hi');
    const second = await peer.arrived(CARD, 2);
    expect(second.headers['if-none-match']).toBe('"one"');
    await new TaskOnStage(upstream).start('hi');
    expect(upstream.describe()?.name).toBe('Scripted agent');
    expect(peer.requests.filter(({ operation }) => operation === CARD)).toHaveLength(2);
  });

  it.each([
    ['an error', json({}, 500)],
    ['no JSON', body('application/json', { send: '<html>' })],
    ['another protocol version', json({ ...cards.v1('http://127.0.0.1'), supportedInterfaces: [] })],
  ])('stays as it was when asking again gives %s', async (_what, reply) => {
    const { clock, pass } = movingClock();
    const peer: ScriptedPeer = kept(
      await startScriptedAgent({ ...works, [CARD]: [() => json(cards.v1(peer.url)), reply] }),
    );
    const upstream = kept(a2aUpstream({ card: peer.cardUrl }, { clock }));
    await new TaskOnStage(upstream).start('hi');
    pass(300_001);
    expect((await new TaskOnStage(upstream).start('hi')).past.status).toBe('COMPLETED');
    await peer.arrived(CARD, 2);
    expect((await new TaskOnStage(upstream).start('hi')).past.status).toBe('COMPLETED');
    expect(upstream.describe()?.name).toBe('Scripted agent');
  });

  it('is looked for with back-off while the agent is down, and found when it comes up', async () => {
    const first = await startScriptedAgent(works);
    await first.close();
    const warnings: object[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (fields: object) => void warnings.push(fields),
    };
    const upstream = kept(
      a2aUpstream({ card: first.cardUrl }, { timers: hastyTimers(...WAITS.rediscover), logger }),
    );
    upstream.start();
    await expect.poll(() => warnings.length).toBeGreaterThan(1);
    expect(warnings.slice(0, 2)).toMatchObject([{ retry_ms: 1_000 }, { retry_ms: 2_000 }]);
    kept(await startScriptedAgent(works, { port: Number(new URL(first.url).port) }));
    await expect.poll(() => upstream.describe()?.name).toBe('Scripted agent');
  });

  it.each([
    [
      'redirects',
      { status: 302, headers: { Location: 'http://127.0.0.1:1/' }, actions: [] },
      'upstream_unavailable',
    ],
    ['is larger than a megabyte', body('application/json', { flood: 2_000_000 }), 'payload_too_large'],
    ['is no object', json([1]), 'upstream_unavailable'],
    ['wants a credential', json({}, 401), 'auth_required'],
    [
      'is nested without end',
      body('application/json', { send: '['.repeat(100_000) }),
      'upstream_unavailable',
    ],
  ])('is refused when it %s', async (_what, reply, code) => {
    const { task: shown, peer } = await stage({ ...works, [CARD]: reply });
    await shown.start('hi');
    expect(shown.frames).toMatchObject([{ kind: 'fault', code }]);
    expect(operations(peer)).toEqual([]);
  });

  it('is asked for again before the turn that follows one in which the agent did not behave as it says', async () => {
    const peer: ScriptedPeer = kept(
      await startScriptedAgent({
        [CARD]: [() => json(cards.v1(peer.url)), () => json(cards.v1Blocking(peer.url))],
        SendStreamingMessage: json({}, 500),
        SendMessage: result({ task: task('COMPLETED') }),
      }),
    );
    const upstream = kept(a2aUpstream({ card: peer.cardUrl }));
    expect((await new TaskOnStage(upstream).start('hi')).past.status).toBe('FAILED');
    expect((await new TaskOnStage(upstream).start('hi')).past.status).toBe('COMPLETED');
    expect(operations(peer)).toEqual(['SendStreamingMessage', 'SendMessage']);
  });

  it('stays in use after that when no fresh one is to be had, and is asked for once', async () => {
    const peer: ScriptedPeer = kept(
      await startScriptedAgent({
        [CARD]: [() => json(cards.v1(peer.url)), json({}, 500)],
        SendStreamingMessage: [json({}, 500), stream(taskFrame('COMPLETED'))],
      }),
    );
    const upstream = kept(a2aUpstream({ card: peer.cardUrl }));
    const ends: string[] = [];
    for (const text of ['one', 'two', 'three'])
      ends.push((await new TaskOnStage(upstream).start(text)).past.status);
    expect(ends).toEqual(['FAILED', 'COMPLETED', 'COMPLETED']);
    expect(peer.requests.filter(({ operation }) => operation === CARD)).toHaveLength(2);
  });

  it('makes the gateway forget, when it is a new one, that the agent refused to stream', async () => {
    const { clock, pass } = movingClock();
    const finished = stream(taskFrame('COMPLETED'));
    const { upstream, peer } = await stage(
      {
        SendStreamingMessage: [rpcError(-32601, 'Not now.'), finished],
        SendMessage: result({ task: task('COMPLETED') }),
      },
      {},
      cards.v1,
      { clock },
    );
    await new TaskOnStage(upstream).start('refused');
    await new TaskOnStage(upstream).start('not tried');
    pass(300_001);
    await new TaskOnStage(upstream).start('asks for the card meanwhile');
    await peer.arrived(CARD, 2);
    // A moment may pass between the arrival of the request and that of the card.
    await expect
      .poll(async () => {
        await new TaskOnStage(upstream).start('tried again');
        return operations(peer).at(-1);
      })
      .toBe('SendStreamingMessage');
    expect(operations(peer).slice(0, 3)).toEqual(['SendStreamingMessage', 'SendMessage', 'SendMessage']);
  });
});
