import { describe, expect, it } from 'vitest';
import { operations, stageHands, WAITS } from '../harness/a2a-stage.ts';
import { agentMessage, artifactFrame, statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { json, result, rpcError, type Script, stream } from '../harness/peers/script.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { hastyTimers, TaskOnStage, textMessage } from '../harness/upstream-stage.ts';

const { stage } = stageHands();

const asking = (question: string) => ({
  status: { state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage(question) },
});
const stood = task('INPUT_REQUIRED', asking('which?'));
const stoodFrame = { result: { task: stood } };
const asked = stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'which?'));
const completes = [artifactFrame('blue', false, true), statusFrame('COMPLETED', 'done')];

/** A task that asked something and got an answer; the agent does with it what the script says. */
async function answered(
  script: Script,
  ...more: [Parameters<typeof stage>[1]?, Parameters<typeof stage>[2]?, Parameters<typeof stage>[3]?]
) {
  const staged = await stage(script, ...more);
  await staged.task.start('hi');
  expect(staged.task.past.status).toBe('INPUT_REQUIRED');
  const first = operations(staged.peer).length;
  await staged.task.continue('blue');
  return { ...staged, asked: () => operations(staged.peer).slice(first) };
}

describe('a stream that begins with the Task as it stood', () => {
  it('is heard to its end', async () => {
    const { task: shown, asked: then } = await answered({
      SendStreamingMessage: [asked, stream(stoodFrame, ...completes)],
    });
    expect(shown.past).toMatchObject({ status: 'COMPLETED', texts: ['which?', 'done'] });
    expect(shown.past.states).toEqual(['INPUT_REQUIRED', 'COMPLETED']);
    expect(shown.past.textOf('a1')).toBe('blue');
    expect(then()).toEqual(['SendStreamingMessage']);
  });

  it('is heard to its end when the task waited for a login', async () => {
    const login = task('AUTH_REQUIRED');
    const { task: shown } = await stage({
      SendStreamingMessage: [
        stream(taskFrame('WORKING'), statusFrame('AUTH_REQUIRED')),
        stream({ result: { task: login } }, ...completes),
      ],
      SubscribeToTask: rpcError(-32004, 'No.'),
      GetTask: result(login),
    });
    await shown.start('hi');
    await shown.continue('signed in');
    expect(shown.past.states).toEqual(['AUTH_REQUIRED', 'COMPLETED']);
  });

  it('and ends with it says that the agent waits for another answer', async () => {
    const { task: shown } = await answered({
      SendStreamingMessage: [asked, stream(stoodFrame)],
      SubscribeToTask: rpcError(-32004, 'No.'),
      GetTask: result(stood),
    });
    expect(shown.past.states).toEqual(['INPUT_REQUIRED', 'INPUT_REQUIRED']);
  });

  it('and then is silent for too long leaves the question open instead of failing the task', async () => {
    const { task: shown } = await answered(
      {
        SendStreamingMessage: [asked, stream(stoodFrame, { hang: true })],
        SubscribeToTask: stream(stoodFrame, { hang: true }),
      },
      { limits: { idle_timeout_ms: 300 } },
    );
    expect(shown.past).toMatchObject({ status: 'INPUT_REQUIRED', failure: undefined });
  });

  it('with a question that nobody has heard is the answer', async () => {
    const { task: shown, peer } = await stage({
      SendStreamingMessage: [
        asked,
        stream({ result: { task: task('INPUT_REQUIRED', asking('how much?')) } }, { hang: true }),
      ],
    });
    await shown.start('hi');
    shown.past.status = 'WORKING';
    const metadataSaid = () => [{ a2a: { message_id: 'm-which?' } }];
    await shown.play({ ...shown.turn('continue', textMessage('blue')), metadataSaid });
    expect(shown.past).toMatchObject({ status: 'INPUT_REQUIRED', texts: ['which?', 'how much?'] });
    expect(operations(peer)).toEqual(['SendStreamingMessage', 'SendStreamingMessage']);
  });

  it('when the first one was lost, too', async () => {
    const { task: shown, asked: then } = await answered({
      SendStreamingMessage: [asked, stream(stoodFrame, { reset: true })],
      SubscribeToTask: stream(stoodFrame, ...completes),
    });
    expect(shown.past.states).toEqual(['INPUT_REQUIRED', 'COMPLETED']);
    expect(then()).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });
});

describe('an answer whose stream is refused', () => {
  it.each([
    ['error -32004', rpcError(-32004, 'Received statusUpdate before initial event.')],
    ['error -32603', rpcError(-32603, 'Broken.')],
    ['HTTP 500', json({}, 500)],
  ])('by %s is not sent again: its task is looked up and followed', async (_what, refusal) => {
    const {
      task: shown,
      asked: then,
      upstream,
    } = await answered({
      SendStreamingMessage: [asked, refusal, stream(taskFrame('COMPLETED'))],
      SubscribeToTask: stream(stoodFrame, ...completes),
    });
    expect(shown.past).toMatchObject({ status: 'COMPLETED', notes: ['message_refused'] });
    expect(then()).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
    expect(upstream.describe()?.streaming).toBe(true);
    await new TaskOnStage(upstream).start('another');
    expect(then().at(-1)).toBe('SendStreamingMessage');
  });

  it.each([
    ['error -32601', rpcError(-32601, 'No such method.')],
    ['HTTP 405', json({}, 405)],
  ])('by %s reached nobody and is sent again, and says nothing about the agent', async (_what, refusal) => {
    const {
      task: shown,
      asked: then,
      upstream,
    } = await answered({
      SendStreamingMessage: [asked, refusal],
      SendMessage: result({ task: task('COMPLETED') }),
    });
    expect(shown.past.status).toBe('COMPLETED');
    expect(then()).toEqual(['SendStreamingMessage', 'SendMessage']);
    expect(upstream.describe()).toMatchObject({ streaming: true });
  });

  it('leaves the question open when nothing was made of it', async () => {
    const { task: shown, asked: then } = await answered({
      SendStreamingMessage: [asked, rpcError(-32004, 'No.')],
      SubscribeToTask: stream(stoodFrame),
      GetTask: result(stood),
    });
    expect(shown.past).toMatchObject({ status: 'INPUT_REQUIRED', failure: undefined });
    expect(then()).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'GetTask']);
  });
});

describe('an agent without streams', () => {
  it.each([
    ['1.0', cards.v1Blocking, 'SendMessage', { returnImmediately: true }],
    [
      '0.3',
      (origin: string) => ({ ...cards.v03(origin), capabilities: {} }),
      'message/send',
      { blocking: false },
    ],
  ])('of A2A %s is asked to answer at once', async (_version, card, operation, configuration) => {
    const done = { kind: 'task', ...task('COMPLETED') };
    const script = { SendMessage: result({ task: task('COMPLETED') }), 'message/send': result(done) };
    const { task: shown, peer } = await stage(script, {}, card);
    await shown.start('hi');
    expect(shown.past.status).toBe('COMPLETED');
    const sent = peer.requests.find((request) => request.operation === operation);
    expect(JSON.parse(sent?.body ?? '').params.configuration).toEqual(configuration);
  });

  it('that tells an answered task as it stood is polled until it tells something else', async () => {
    const timers = hastyTimers(...WAITS.poll, 5_000);
    const standing = result(stood);
    const { task: shown } = await answered(
      {
        SendMessage: [result({ task: stood }), result({ task: stood })],
        GetTask: [...Array.from({ length: 9 }, () => standing), result(task('COMPLETED'))],
      },
      {},
      cards.v1Blocking,
      { timers },
    );
    expect(shown.past.states).toEqual(['INPUT_REQUIRED', 'COMPLETED']);
  });

  it('that goes on waiting, without a question to tell from another, waits for another answer', async () => {
    const bare = task('INPUT_REQUIRED');
    const { task: shown } = await answered(
      { SendMessage: [result({ task: bare }), result({ task: bare })], GetTask: result(bare) },
      {},
      cards.v1Blocking,
      { timers: hastyTimers(...WAITS.poll, 5_000) },
    );
    expect(shown.past.states).toEqual(['INPUT_REQUIRED', 'INPUT_REQUIRED']);
  });
});

describe('what is learned about the streams of an agent', () => {
  it('is logged, shown, and forgotten after minutes', async () => {
    let now = 0;
    const said: unknown[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (...line: unknown[]) => said.push(line),
    };
    const clock = { now: () => Date.UTC(2026, 0, 1) + now, monotonic: () => now };
    const { upstream, peer } = await stage(
      {
        SendStreamingMessage: [rpcError(-32601, 'Not yet.'), stream(taskFrame('COMPLETED'))],
        SendMessage: result({ task: task('COMPLETED') }),
      },
      {},
      undefined,
      { clock, logger },
    );
    await new TaskOnStage(upstream).start('one');
    expect(said).toEqual([
      [
        { route: 'a2a:peer', because: 'MethodNotFound: Not yet.', until: '2026-01-01T00:05:00.000Z' },
        expect.stringContaining('does not stream although its card says so'),
      ],
    ]);
    expect(upstream.describe()).toMatchObject({
      streaming: false,
      streamingRefused: { because: 'MethodNotFound: Not yet.', until: '2026-01-01T00:05:00.000Z' },
    });
    await new TaskOnStage(upstream).start('two');
    now = 300_000;
    expect(upstream.describe()).toMatchObject({ streaming: true });
    expect(upstream.describe()).not.toHaveProperty('streamingRefused');
    await new TaskOnStage(upstream).start('three');
    expect(operations(peer)).toEqual([
      'SendStreamingMessage',
      'SendMessage',
      'SendMessage',
      'SendStreamingMessage',
    ]);
  });
});
