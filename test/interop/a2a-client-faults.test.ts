import { describe, expect, it } from 'vitest';
import type { Frame } from '#protocol-client.ts';
import { stageHands, WAITS } from '../harness/a2a-stage.ts';
import { statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { body, json, rpcError, socket, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { a2aUpstream, hastyTimers, TaskOnStage } from '../harness/upstream-stage.ts';

const { kept, stage } = stageHands();

const faultOf = (shown: TaskOnStage) =>
  shown.frames.find((frame): frame is Extract<Frame, { kind: 'fault' }> => frame.kind === 'fault');

describe('an agent that cannot be reached', () => {
  it('fails the task with upstream_unavailable when it refuses connections', async () => {
    const peer = await startScriptedAgent({});
    await peer.close();
    const shown = new TaskOnStage(kept(a2aUpstream({ card: peer.cardUrl })));
    await shown.start('hi');
    expect(shown.past.failure).toMatchObject({ code: 'upstream_unavailable', type: 'upstream_error' });
    expect(faultOf(shown)?.details).toEqual({ reason: 'refused', outcome: 'not_run' });
  });

  it('fails the task with upstream_unavailable when its name does not resolve', async () => {
    const shown = new TaskOnStage(kept(a2aUpstream({ card: 'http://no-such-host.invalid/card.json' })));
    await shown.start('hi');
    expect(faultOf(shown)?.details).toEqual({ reason: 'unknown_host', outcome: 'not_run' });
  });

  it('fails the task with upstream_unavailable when it does not speak TLS', async () => {
    const peer = kept(await startScriptedAgent({}));
    const shown = new TaskOnStage(kept(a2aUpstream({ card: peer.cardUrl.replace('http:', 'https:') })));
    await shown.start('hi');
    expect(faultOf(shown)).toMatchObject({ code: 'upstream_unavailable', details: { reason: 'tls' } });
  });

  it('ends with deadline_exceeded when the connection does not come up in time', async () => {
    const connectMs = 777;
    const timers = hastyTimers();
    const impatient = {
      ...timers,
      setTimeout: (run: () => void, ms: number) => (ms === connectMs ? run() : timers.setTimeout(run, ms)),
    };
    const limits = { connect_timeout_ms: connectMs };
    const { task } = await stage({}, { limits }, undefined, { timers: impatient });
    await task.start('hi');
    expect(faultOf(task)).toMatchObject({ code: 'deadline_exceeded', details: { timeout: 'connect' } });
  });

  it('ends with deadline_exceeded when the card never comes', async () => {
    const script = { 'GET /.well-known/agent-card.json': body('application/json', { hang: true }) };
    const { task } = await stage(script, { limits: { connect_timeout_ms: 9_000 } }, undefined, {
      timers: hastyTimers(...WAITS.card),
    });
    await task.start('hi');
    expect(task.past.failure?.code).toBe('deadline_exceeded');
    expect(faultOf(task)?.details).toEqual({ timeout: 'card', outcome: 'not_run' });
  });
});

describe('an agent that is too slow', () => {
  it.each([
    ['sends nothing', stream({ hang: true })],
    [
      'drips bytes without a whole frame',
      stream({ drip: 'data: '.repeat(100), everyMs: 20 }, { hang: true }),
    ],
    ['sends comments only', stream({ send: ': x\n\n' }, { hang: true })],
    ['takes the connection and is silent', socket({ hang: true })],
  ])('misses the first frame when it %s', async (_how, reply) => {
    const { task, peer } = await stage(
      { SendStreamingMessage: reply },
      { limits: { first_frame_timeout_ms: 300 } },
    );
    await task.start('hi');
    expect(task.past.failure?.code).toBe('deadline_exceeded');
    expect(faultOf(task)?.details).toEqual({ timeout: 'first_frame' });
    await expect.poll(() => peer.abandoned).toEqual(['SendStreamingMessage']);
  });

  it.each([
    ['falls silent', [{ hang: true }] as const],
    ['drips bytes of the next frame', [{ drip: 'data: '.repeat(100), everyMs: 20 }] as const],
  ])('is idle when it %s, and its task is canceled', async (_how, actions) => {
    const script = { SendStreamingMessage: stream(taskFrame('WORKING'), ...actions) };
    const { task, peer } = await stage(script, { limits: { idle_timeout_ms: 300 } });
    await task.start('hi');
    expect(faultOf(task)).toMatchObject({ code: 'deadline_exceeded', details: { timeout: 'idle' } });
    const { body: cancel } = await peer.arrived('CancelTask');
    expect(JSON.parse(cancel)).toMatchObject({ params: { id: 'r1' } });
  });

  it('is not idle while it sends comments', async () => {
    const pings = Array.from({ length: 5 }, () => [{ delayMs: 300 }, { send: ': ping\n\n' }]).flat();
    const script = { SendStreamingMessage: stream(taskFrame('WORKING'), ...pings, statusFrame('COMPLETED')) };
    const { task } = await stage(script, { limits: { idle_timeout_ms: 1_200 } });
    expect((await task.start('hi')).past.status).toBe('COMPLETED');
  });

  it('meets the total timeout however busy it is', async () => {
    const busy = Array.from({ length: 50 }, () => [{ delayMs: 20 }, statusFrame('WORKING')]).flat();
    const script = { SendStreamingMessage: stream(taskFrame('WORKING'), ...busy) };
    const { task } = await stage(script, { limits: { total_timeout_ms: 500 } });
    await task.start('hi');
    expect(faultOf(task)?.details).toEqual({ timeout: 'total' });
  });

  it('may take its time while a human signs in: the turn ends without a failure', async () => {
    const script = {
      SendStreamingMessage: stream(taskFrame('WORKING'), statusFrame('AUTH_REQUIRED'), { hang: true }),
    };
    const { task } = await stage(script, { limits: { idle_timeout_ms: 300, total_timeout_ms: 1_500 } });
    await task.start('hi');
    expect(task.past).toMatchObject({ status: 'AUTH_REQUIRED', failure: undefined });
    expect(task.frames.at(-1)).toEqual({ kind: 'end' });
  });
});

describe('an agent that breaks the protocol', () => {
  it.each([
    ['json', stream({ send: 'data: {"jsonrpc":\n\n' })],
    ['json', stream({ send: 'data: {"a":1,"a":2}\n\n' })],
    ['json', stream({ send: `data: ${'['.repeat(70)}${']'.repeat(70)}\n\n` })],
    ['utf8', stream({ send: Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]) })],
    ['json', body('application/json', { send: 'null garbage' })],
    ['protocol', socket({ send: 'NOT HTTP\r\n\r\n' })],
  ])('fails the task with the reason %s', async (reason, reply) => {
    const { task } = await stage({ SendStreamingMessage: reply });
    await task.start('hi');
    expect(task.past.failure).toMatchObject({ code: 'upstream_unavailable', details: { reason } });
  });

  it('is refused when it compresses although told not to', async () => {
    const reply = { headers: { 'Content-Encoding': 'gzip' }, actions: [{ send: 'x' }] };
    const { task, peer } = await stage({ SendStreamingMessage: reply });
    await task.start('hi');
    expect(task.past.failure?.details).toEqual({ reason: 'content_encoding' });
    expect(peer.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['a line without end', stream({ send: 'data: ' }, { flood: 300_000 }, { hang: true })],
    ['an event of many lines', stream({ send: 'data: 0123456789\n'.repeat(20_000) }, { hang: true })],
    ['a stream of small events', stream({ send: 'data: {}\n\n'.repeat(60_000) }, { hang: true })],
    ['one large answer', body('application/json', { flood: 600_000 }, { hang: true })],
  ])('is cut off at the cap when it sends %s', async (_what, reply) => {
    const limits = { max_frame_bytes: 100_000, max_response_bytes: 500_000 };
    const { task, peer } = await stage({ SendStreamingMessage: reply }, { limits });
    await task.start('hi');
    expect(task.past.failure?.code).toBe('payload_too_large');
    await expect.poll(() => peer.abandoned).toContain('SendStreamingMessage');
  });

  it('has answers for somebody else noted and otherwise ignored', async () => {
    const foreign = { frame: { jsonrpc: '2.0', id: 'other', result: { task: task('COMPLETED') } } };
    const elsewhere = statusFrame('FAILED', 'not yours', { taskId: 'r2' });
    const odd = [{ result: { surprise: 1 } }, { result: 7 }, { frame: [] }];
    const script = {
      SendStreamingMessage: stream(
        foreign,
        taskFrame('WORKING'),
        elsewhere,
        ...odd,
        statusFrame('COMPLETED'),
      ),
    };
    const { task: shown } = await stage(script);
    await shown.start('hi');
    expect(shown.past.status).toBe('COMPLETED');
    expect(shown.past.notes).toEqual([
      'foreign_answer',
      'foreign_task',
      'unknown_message',
      'unknown_message',
      'unknown_message',
    ]);
  });

  it('and cuts a character in the middle loses that half and nothing else', async () => {
    const said = statusFrame('WORKING', 'smile \ud83d');
    const { task } = await stage({
      SendStreamingMessage: stream(taskFrame('WORKING'), said, statusFrame('COMPLETED')),
    });
    expect((await task.start('hi')).past).toMatchObject({ status: 'COMPLETED', texts: ['smile \ufffd'] });
  });

  it('says a message once, however often it repeats it', async () => {
    const said = statusFrame('WORKING', 'once');
    const { task } = await stage({
      SendStreamingMessage: stream(taskFrame('WORKING'), said, said, statusFrame('COMPLETED')),
    });
    await task.start('hi');
    expect(task.past.texts).toEqual(['once']);
    expect(task.past.notes).toEqual(['repeated_message']);
  });

  it('keeps a task working on a state nobody knows, with the raw word kept', async () => {
    const script = {
      SendStreamingMessage: stream(taskFrame('WORKING'), statusFrame('DREAMING'), statusFrame('COMPLETED')),
    };
    const { task } = await stage(script);
    await task.start('hi');
    expect(task.past.states).toEqual(['COMPLETED']);
    expect(task.past.notes).toEqual(['unknown_state']);
    expect(task.past.metadata).toContainEqual({ a2a: { raw_state: 'TASK_STATE_DREAMING' } });
  });

  it('fails a task that it leaves in a state nobody knows', async () => {
    const unknown = json({ jsonrpc: '2.0', id: null, result: task('DREAMING') });
    const script = { SendStreamingMessage: stream(taskFrame('DREAMING')), GetTask: unknown };
    const { task: shown } = await stage(script, {}, undefined, { timers: hastyTimers(...WAITS.poll) });
    await shown.start('hi');
    expect(shown.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'unknown_state' },
    });
  });

  it('fails a blocking answer in a state nobody knows', async () => {
    const reply = json({ jsonrpc: '2.0', id: null, result: { task: task('DREAMING') } });
    const { task: shown } = await stage({ SendMessage: reply }, {}, cards.v1Blocking);
    await shown.start('hi');
    expect(shown.past.failure).toMatchObject({ details: { a2a_state: 'TASK_STATE_DREAMING' } });
  });
});

describe('an agent that names its task with more than 512 characters', () => {
  it.each(['id', 'contextId'])(
    'in %s fails it: such an id can be neither kept nor shortened',
    async (member) => {
      const { task: shown } = await stage({
        SendStreamingMessage: stream(taskFrame('WORKING', { [member]: 'x'.repeat(513) }), { hang: true }),
      });
      await shown.start('hi');
      expect(shown.past.failure).toMatchObject({
        code: 'upstream_unavailable',
        details: { reason: 'overlong_id' },
      });
      expect(shown.past.binding).toBeUndefined();
    },
  );
});

describe('an agent that refuses', () => {
  it.each([
    [401, 'AUTH_REQUIRED', undefined],
    [403, 'AUTH_REQUIRED', undefined],
    [429, 'FAILED', 'upstream_unavailable'],
    [500, 'FAILED', 'upstream_unavailable'],
    [504, 'FAILED', 'deadline_exceeded'],
  ])('ends with HTTP %i in %s', async (status, state, code) => {
    const { task } = await stage({ SendStreamingMessage: json({ oops: true }, status) });
    await task.start('hi');
    expect(task.past.status).toBe(state);
    expect(task.past.failure?.code).toBe(code);
  });

  it.each([
    [-32005, 'invalid_request', 'ContentTypeNotSupported'],
    [-32008, 'policy_violation', 'ExtensionSupportRequired'],
    [-32603, 'upstream_unavailable', 'InternalError'],
    [-31999, 'upstream_unavailable', 'unknown'],
  ])('fails the task with JSON-RPC error %i as %s', async (code, harn, name) => {
    const { task } = await stage({ SendStreamingMessage: rpcError(code, 'No.') });
    await task.start('hi');
    expect(task.past.failure).toMatchObject({ code: harn, message: 'No.', details: { a2a_error: name } });
  });

  it('redirects in vain: nothing is sent to another place', async () => {
    const other = kept(await startScriptedAgent({}));
    const reply = { status: 307, headers: { Location: `${other.url}/rpc` }, actions: [] };
    const { task } = await stage({ SendStreamingMessage: reply });
    await task.start('hi');
    expect(task.past.failure?.details).toMatchObject({ http_status: 307 });
    expect(other.requests).toEqual([]);
  });
});
