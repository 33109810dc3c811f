import { describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { stageHands } from '../harness/a2a-stage.ts';
import { statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { json, result, rpcError, type Script, stream } from '../harness/peers/script.ts';
import { TaskOnStage } from '../harness/upstream-stage.ts';

const { stage, kept } = stageHands();

/** A task that works at the agent and gets a message there; the agent answers the message by `script`. */
async function interrupted(script: Script): Promise<TaskOnStage> {
  const { upstream } = await stage(script);
  const shown = new TaskOnStage(upstream);
  shown.past.binding = { task_id: 'r1', context_id: 'c1' };
  shown.past.sessionBinding = { context_id: 'c1' };
  return shown.continue('faster');
}

const REFUSALS = [
  ['error -32004', rpcError(-32004, 'It works.')],
  ['error -32602', rpcError(-32602, 'It works.')],
  ['error -32603', rpcError(-32603, 'It works.')],
  ['HTTP 413', json({}, 413)],
  ['HTTP 429', json({}, 429)],
  ['HTTP 500', json({}, 500)],
] as const;

const ends = stream(taskFrame('WORKING'), statusFrame('COMPLETED', 'done'));

describe('a message to a working task that is refused', () => {
  it.each(REFUSALS)('with %s is noted, and the task is followed to its end', async (_what, refusal) => {
    const { past } = await interrupted({
      SendStreamingMessage: refusal,
      SendMessage: refusal,
      GetTask: result(task('WORKING')),
      SubscribeToTask: ends,
    });
    expect(past).toMatchObject({ status: 'COMPLETED', failure: undefined, notes: ['message_refused'] });
    expect(past.texts).toEqual(['done']);
  });

  it('is noted when the task has not begun yet', async () => {
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'Wait.'),
      GetTask: result(task('SUBMITTED')),
      SubscribeToTask: ends,
    });
    expect(past).toMatchObject({ status: 'COMPLETED', notes: ['message_refused'] });
  });

  it('is noted, and polling tells the rest, when the agent lets nobody subscribe', async () => {
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'It works.'),
      GetTask: [result(task('WORKING')), result(task('WORKING')), result(task('COMPLETED'))],
      SubscribeToTask: rpcError(-32004, 'No.'),
    });
    expect(past).toMatchObject({ status: 'COMPLETED', notes: ['message_refused'] });
  });

  it('is noted when the agent is away for a moment after it', async () => {
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'It works.'),
      GetTask: json({}, 503),
      SubscribeToTask: ends,
    });
    expect(past).toMatchObject({ status: 'COMPLETED', notes: ['message_refused'] });
  });

  it('leaves a task that asks for something asking', async () => {
    const asks = task('INPUT_REQUIRED');
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'That is no colour.'),
      GetTask: result(asks),
      SubscribeToTask: stream({ result: { task: asks } }),
    });
    expect(past).toMatchObject({ status: 'INPUT_REQUIRED', failure: undefined, notes: ['message_refused'] });
  });

  it('does not count when the task is over: its end does', async () => {
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'Too late.'),
      GetTask: result(task('COMPLETED')),
    });
    expect(past).toMatchObject({ status: 'COMPLETED', notes: [] });
  });

  it.each([
    ['knows it no more', rpcError(-32001, 'Who?')],
    ['tells nobody of tasks', rpcError(-32601, 'No such method.')],
    ['answers with HTTP 404', json({}, 404)],
    ['tells of another task', result({ ...task('WORKING'), id: 'r2' })],
  ])('fails the task when the agent %s', async (_what, answer) => {
    const { past } = await interrupted({
      SendStreamingMessage: rpcError(-32602, 'No.'),
      GetTask: answer,
    });
    expect(past).toMatchObject({ status: 'FAILED', failure: { code: 'invalid_request', message: 'No.' } });
  });

  it('wants a credential when that is what was refused', async () => {
    const { past } = await interrupted({ SendStreamingMessage: json({}, 401) });
    expect(past.status).toBe('AUTH_REQUIRED');
  });
});

describe('a message that is refused for want of a credential', () => {
  /** The task waits for a credential; `sent`: the texts of every message that reached the agent. */
  async function waiting(text: string) {
    const { peer, upstream } = await stage({ SendStreamingMessage: [json({}, 401), ends] });
    const { client } = kept(await startTestGateway({ extraClients: [upstream] }));
    const { id } = await client.submit(text, undefined, { route: upstream.route });
    await client.until(id, 'AUTH_REQUIRED');
    const { data } = await client.get<{ data: { id: string }[] }>(`/v1/permission-requests?task_id=${id}`);
    const sent = () =>
      peer.requests.flatMap(({ operation, body }) =>
        operation === 'SendStreamingMessage' ? [textsIn(JSON.parse(body))] : [],
      );
    return { client, id, request: data[0], sent };
  }

  const textsIn = ({ params }: { params: { message: { parts: { text: string }[] } } }) =>
    params.message.parts.map((part) => part.text);

  it('is sent again as it was, secrets too, when somebody says that the credential is there', async () => {
    const text = `log in with ghp_${'g7H8'.repeat(9)}`;
    const { client, id, request, sent } = await waiting(text);
    expect(request).toMatchObject({
      request: { kind: 'authorization', message: expect.stringContaining('credential') },
    });
    await client.post(`/v1/permission-requests/${request?.id}/respond`, { approved: true });
    await client.until(id, 'COMPLETED');
    expect(sent()).toEqual([[text], [text]]);
  });

  it('goes before the words that somebody answers with', async () => {
    const { client, id, sent } = await waiting('hi');
    await client.answer(id, 'It is there now.');
    await client.until(id, 'COMPLETED');
    expect(sent()).toEqual([['hi'], ['hi', 'It is there now.']]);
  });
});

describe('an interrupt that the agent refuses', () => {
  const gateway = stageOf();

  const notes = async (client: TestClient, taskId: string) =>
    (await client.events(`/v1/tasks/${taskId}/events`))
      .filter(({ event }) => event === 'vendor.harn_gateway.upstream_note')
      .map(({ payload }) => payload['note']);

  it('leaves the task working to its end', async () => {
    const { client } = gateway;
    const { id } = await client.submit('slow 1');
    await expect
      .poll(async () => {
        const body = { kind: 'interrupt', message: userText('faster') };
        return (await client.call('POST', `/v1/tasks/${id}/messages`, { body })).status;
      })
      .toBeLessThan(300);
    const ended = await client.until(id, 'COMPLETED', 'FAILED');
    expect(ended.status).toBe('COMPLETED');
    expect(await notes(client, id)).toContain('message_refused');
  });
});
