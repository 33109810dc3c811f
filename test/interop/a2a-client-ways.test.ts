import { describe, expect, it } from 'vitest';
import { operations, stageHands } from '../harness/a2a-stage.ts';
import { agentMessage, artifactFrame, statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { startFaultProxy } from '../harness/peers/fault-proxy.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { json, result, rpcError, stream } from '../harness/peers/script.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { a2aUpstream, TaskOnStage, textMessage } from '../harness/upstream-stage.ts';

const { kept, stage } = stageHands();

const done = { SendMessage: result({ task: task('COMPLETED') }) };
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('sending', () => {
  it.each([
    ['error -32601', rpcError(-32601, 'No such method.')],
    ['HTTP 405', json({}, 405)],
    ['HTTP 415', json({}, 415)],
  ])('falls back to a blocking message on %s, and does not try to stream again', async (_why, reply) => {
    const { task: shown, peer, upstream } = await stage({ SendStreamingMessage: reply, ...done });
    expect((await shown.start('hi')).past.status).toBe('COMPLETED');
    await new TaskOnStage(upstream).start('again');
    expect(operations(peer)).toEqual(['SendStreamingMessage', 'SendMessage', 'SendMessage']);
  });

  it('falls back on error -32004 when the agent says it of every stream, and does not try again', async () => {
    const refusal = rpcError(-32004, 'No streams.');
    const streams = { SendStreamingMessage: refusal, SubscribeToTask: refusal };
    const { task: shown, peer, upstream } = await stage({ ...streams, ...done });
    expect((await shown.start('hi')).past.status).toBe('COMPLETED');
    await new TaskOnStage(upstream).start('again');
    expect(operations(peer)).toEqual([
      'SendStreamingMessage',
      'SubscribeToTask',
      'SendMessage',
      'SendMessage',
    ]);
  });

  it.each([
    ['knows the streams of tasks', rpcError(-32001, 'Which task?')],
    ['does not say', json({}, 503)],
  ])('is not done twice on error -32004 when the agent %s: somebody may execute it', async (_why, probed) => {
    const refusal = rpcError(-32004, 'The task takes no message now.');
    const {
      task: shown,
      peer,
      upstream,
    } = await stage({
      SendStreamingMessage: [refusal, stream(taskFrame('COMPLETED'))],
      SubscribeToTask: probed,
      ...done,
    });
    expect((await shown.start('hi')).past.status).toBe('FAILED');
    expect((await new TaskOnStage(upstream).start('again')).past.status).toBe('COMPLETED');
    expect(operations(peer)).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'SendStreamingMessage']);
  });

  it('is blocking when the card promises no stream, and polls a task that is not over', async () => {
    const { task: shown, peer } = await stage(
      {
        SendMessage: result({ task: task('WORKING') }),
        GetTask: [result(task('WORKING')), result(task('COMPLETED', { history: [agentMessage('done')] }))],
      },
      {},
      cards.v1Blocking,
    );
    await shown.start('hi');
    expect(shown.past).toMatchObject({ status: 'COMPLETED', texts: ['done'] });
    expect(operations(peer)).toEqual(['SendMessage', 'GetTask', 'GetTask']);
  });

  it('records a poll that says nothing new only once', async () => {
    const same = result(task('WORKING'));
    const script = { SendMessage: same, GetTask: [same, same, same, result(task('COMPLETED'))] };
    const { task: shown } = await stage(script, {}, cards.v1Blocking);
    await shown.start('hi');
    expect(shown.frames.map((frame) => frame.kind)).toEqual(['message', 'message', 'message', 'end']);
  });

  it('passes on the version, the trace context, the credential and the id of the message', async () => {
    const auth = { type: 'bearer', value: { env: 'TOKEN' } } as const;
    const { task: shown, peer } = await stage(
      { SendStreamingMessage: stream(taskFrame('COMPLETED')) },
      { auth },
    );
    await shown.play({ ...shown.turn('start', textMessage('hi', 'client-7')), traceparent: TRACE });
    const request = peer.requests.at(-1);
    expect(request?.headers).toMatchObject({
      'a2a-version': '1.0',
      traceparent: TRACE,
      authorization: 'Bearer secret-of-TOKEN',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      jsonrpc: '2.0',
      params: { message: { messageId: 'client-7', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    });
  });

  it('sends a configured header instead of Authorization, to the card and to the interface', async () => {
    const auth = { type: 'header', name: 'X-Api-Key', value: { file: '/key' } } as const;
    const { task: shown, peer } = await stage(
      { SendStreamingMessage: stream(taskFrame('COMPLETED')) },
      { auth },
    );
    await shown.start('hi');
    const keys = peer.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]);
    expect(keys).toEqual([
      ['secret-of-/key', undefined],
      ['secret-of-/key', undefined],
    ]);
  });

  it('fails the task, and says nothing of the secret, when the credential is missing', async () => {
    const credential = () => Promise.reject(new Error('/etc/secret does not exist'));
    const auth = { type: 'bearer', value: { env: 'TOKEN' } } as const;
    const { task: shown, peer } = await stage(done, { auth }, cards.v1, { credential });
    await shown.start('hi');
    expect(shown.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'credential' },
    });
    expect(JSON.stringify(shown.frames)).not.toContain('/etc/secret');
    expect(peer.requests).toEqual([]);
  });

  it('omits the context in the first message, and sends task and context in a continuation', async () => {
    const script = {
      SendStreamingMessage: [
        stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'which?')),
        stream(taskFrame('WORKING'), statusFrame('COMPLETED', 'ok')),
      ],
    };
    const { task: shown, peer } = await stage(script);
    await shown.start('hi');
    await shown.continue('this one');
    const messages = peer.requests.slice(1).map(({ body }) => JSON.parse(body).params.message);
    expect(messages[0]).not.toHaveProperty('contextId');
    expect(messages[0]).not.toHaveProperty('taskId');
    expect(messages[1]).toMatchObject({ taskId: 'r1', contextId: 'c1' });
    expect(shown.past.texts).toEqual(['which?', 'ok']);
  });

  it('notes another context than the one sent, and takes it for what follows', async () => {
    const { task: shown } = await stage({ SendStreamingMessage: stream(taskFrame('COMPLETED')) });
    shown.past.sessionBinding = { context_id: 'c0' };
    await shown.start('hi');
    expect(shown.past.notes).toEqual(['context_changed']);
    expect(shown.past.sessionBinding).toEqual({ context_id: 'c1' });
  });

  it('takes the end of a task that went on by itself when its continuation is refused', async () => {
    const script = {
      SendStreamingMessage: [
        stream(taskFrame('WORKING'), statusFrame('AUTH_REQUIRED')),
        rpcError(-32602, 'Task is over.'),
      ],
      GetTask: result(task('COMPLETED', { artifacts: [{ artifactId: 'a1', parts: [{ text: 'all' }] }] })),
      SubscribeToTask: rpcError(-32004, 'No.'),
    };
    const { task: shown } = await stage({
      ...script,
      GetTask: [result(task('AUTH_REQUIRED')), script.GetTask],
    });
    await shown.start('hi');
    expect(shown.past.status).toBe('AUTH_REQUIRED');
    await shown.continue('signed in');
    expect(shown.past).toMatchObject({ status: 'COMPLETED', failure: undefined });
    expect(shown.past.textOf('a1')).toBe('all');
  });

  it('goes to the tenant that the interface names', async () => {
    const card = (origin: string) => ({
      ...cards.v1(origin),
      supportedInterfaces: [
        { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'acme' },
      ],
    });
    const { task: shown, peer } = await stage(
      { 'POST /rest/acme/message:stream': stream({ frame: { task: task('COMPLETED') } }) },
      {},
      card,
    );
    expect((await shown.start('hi')).past.status).toBe('COMPLETED');
    expect(peer.requests.at(-1)?.headers['content-type']).toBe('application/a2a+json');
  });
});

describe('a stream', () => {
  it('leaves its connection to later tasks', async () => {
    const proxy = kept(await startFaultProxy());
    const peer = kept(await startSampleAgent({ publicUrl: proxy.url }));
    proxy.forwardTo(peer.url);
    const upstream = kept(a2aUpstream({ card: `${proxy.url}/.well-known/agent-card.json` }));
    await new TaskOnStage(upstream).start('stream 2');
    const before = proxy.connections;
    for (const text of ['stream 2', 'one', 'hello', 'two', 'file', 'three']) {
      const shown = new TaskOnStage(upstream);
      const caller = new AbortController();
      // As the core does: it lets go of the turn at the last frame.
      for await (const frame of upstream.run(shown.turn('start', textMessage(text)), caller.signal)) {
        shown.see(frame);
        if (shown.past.status !== 'COMPLETED') continue;
        caller.abort();
        break;
      }
    }
    // A task that starts before the end of the last stream is read needs a second one.
    expect(proxy.connections).toBeLessThanOrEqual(before + 1);
  });

  it('is closed at once when the caller gives up, without a fault', async () => {
    const { task: shown, peer } = await stage({
      SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }),
    });
    const caller = new AbortController();
    void shown.saw(1).then(() => caller.abort());
    await shown.play(shown.turn('start', textMessage('hi')), caller.signal);
    expect(shown.frames.map((frame) => frame.kind)).toEqual(['message']);
    await expect.poll(() => peer.abandoned).toEqual(['SendStreamingMessage']);
  });

  it('may be answered by one document instead', async () => {
    const { task: shown } = await stage({ SendStreamingMessage: result({ message: agentMessage('short') }) });
    await shown.start('hi');
    expect(shown.past).toMatchObject({ status: 'COMPLETED', texts: ['short'] });
  });

  it('replaces an artifact on append false and appends parts on append true, boundaries kept', async () => {
    const script = {
      SendStreamingMessage: stream(
        taskFrame('WORKING'),
        artifactFrame('draft', false),
        artifactFrame('final ', false),
        artifactFrame('text', true, true),
        statusFrame('COMPLETED'),
      ),
    };
    const { task: shown } = await stage(script);
    await shown.start('hi');
    expect(shown.past.artifacts.get('a1')).toMatchObject([{ text: 'final ' }, { text: 'text' }]);
    expect([...shown.past.closed]).toEqual(['a1']);
  });
});
