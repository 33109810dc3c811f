import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient, type StreamedEvent } from '#cli/client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import type { Peer } from '../../../harness/peers/peer.ts';
import { startSampleAgent } from '../../../harness/peers/sample-agent.ts';
import { runCommand } from '../../../interop/command-line.ts';

describe('command line: task', () => {
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  const run = (...args: string[]) =>
    runCommand(['task', ...args, '--url', gateway.url, '--key', gateway.client.key]);

  it('names the task first, then prints what the agent does', async () => {
    const { code, out } = await run('stream 2', '--follow');
    const [first, ...rest] = out.trimEnd().split('\n');
    expect(first).toMatch(/^task_\w+ WORKING in session_\w+$/);
    expect([code, rest.at(-1)]).toEqual([0, 'task.completed']);
  });

  it('with --json the events alone are on standard output, and the task is named on the other one', async () => {
    const { out, err } = await run('stream 2', '--follow', '--json');
    const events = out.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as StreamedEvent).event).at(-1)).toBe('task.completed');
    expect(err).toMatch(/^task_\w+ WORKING in session_\w+\n$/);
  });

  it('stops where the agent asks, names what to type, and goes on behind the answer', async () => {
    const asked = await run('ask', '--follow');
    const [, request, task] =
      /respond (\S+) --answer "\.\.\.", then harn-gateway task --task (\S+) --follow\n$/.exec(asked.out) ?? [
        '',
        '',
        '',
      ];
    const again = await run('--task', task, '--follow');
    expect([asked.code, again.out.slice(again.out.indexOf('\n'))]).toEqual([
      0,
      asked.out.slice(asked.out.indexOf('\n')),
    ]);
    const client = ['--url', gateway.url, '--key', gateway.client.key];
    expect((await runCommand(['permission', 'respond', request, '--answer', 'blue', ...client])).code).toBe(
      0,
    );
    const { code, out } = await run('--task', task, '--follow');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toBe('task.completed');
    expect(out).toContain('task.input_required\n');
    expect(out).not.toContain('The task waits for you');
  });

  it.each([
    ['a text', ['hello', '--task', 'task_1']],
    ['a session', ['--task', 'task_1', '--session', 'session_1']],
    ['a route', ['--task', 'task_1', '--route', 'a2a:sample']],
  ])('refuses %s beside --task as wrong usage', async (_, args) => {
    expect(await run(...args)).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^error: --task names a task/),
    });
  });

  it.each(['', '  \n'])('refuses the empty text %j as wrong usage', async (text) => {
    expect(await run(text)).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^error: The text is empty/),
    });
  });
});

/** What a stand-in gateway answers one request with: a status, an answer of frames, or a cut connection. */
type Answer = (response: ServerResponse, lastEventId: string | undefined) => void;

const text = (words: string) => [{ type: 'text', text: words, visibility: 'public' }];
const frame = (id: string, event: string, payload: object = {}) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ id, event, payload })}\n\n`;
const frames =
  (...all: string[]): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(all.join(''));
const dies: Answer = (response) => response.destroy();
const diesAfter =
  (first: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(first, () => response.destroy());
  };
const refuses =
  (status: number, code: string): Answer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ error: { message: 'No.', code } }));

/** A server that answers its requests for a stream in this order; the last answer is repeated. */
async function standIn(...answers: Answer[]) {
  const cursors: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST')
      return response.writeHead(202).end('{"id":"task_1","status":"WORKING","session_id":"session_1"}');
    const cursor = request.headers['last-event-id'] as string | undefined;
    cursors.push(cursor);
    return (answers[cursors.length - 1] ?? answers.at(-1))?.(response, cursor);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, cursors, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function followed(url: string, delaysMs: readonly number[]): Promise<string[]> {
  const client = new GatewayClient({ url, key: 'k' }, delaysMs);
  const seen: string[] = [];
  for await (const { event } of client.follow('task_1', (it) => it.event === 'end')) seen.push(event);
  return seen;
}

describe('following a stream', () => {
  it('goes on behind the last event after a kill, refused connections and a gateway that is starting', async () => {
    const gateway = await standIn(
      diesAfter(frame('1', 'begin')),
      dies,
      refuses(503, 'service_unavailable'),
      frames(frame('2', 'end')),
    );
    expect(await followed(gateway.url, [1, 1, 1])).toEqual(['begin', 'end']);
    expect(gateway.cursors).toEqual([undefined, '1', '1', '1']);
    await gateway.close();
  });

  it('gives up after its last pause and says where the task is', async () => {
    const gateway = await standIn(dies);
    await expect(followed(gateway.url, [1, 1])).rejects.toThrow(
      /did not go on within 1 s.*GET \/v1\/tasks\/task_1 /,
    );
    expect(gateway.cursors).toHaveLength(3);
    await gateway.close();
    await expect(followed(gateway.url, [1])).rejects.toThrow(/did not go on/);
  });

  it('does not ask again after a refusal', async () => {
    const gateway = await standIn(refuses(404, 'not_found'));
    await expect(followed(gateway.url, [1, 1])).rejects.toThrow('No. (not_found)');
    expect(gateway.cursors).toHaveLength(1);
    await gateway.close();
  });
});

describe('what an agent says', () => {
  const hostile = 'red\u001b[31m\u0007\u009b2J\u007f\ttab\r\nline';
  const saying = [
    frame('1', 'agent.message', { message: { parts: text(hostile) } }),
    frame('2', 'task.completed'),
  ];

  it('reaches the terminal with its control characters spelled out, tab and line feed as they are', async () => {
    const gateway = await standIn(frames(...saying));
    const args = ['task', 'hi', '--session', 'session_1', '--follow', '--url', gateway.url, '--key', 'k'];
    const { out } = await runCommand(args);
    expect(out).toContain('agent: red\\x1b[31m\\x07\\x9b2J\\x7f\ttab\nline\n');
    const { out: json } = await runCommand([...args, '--json']);
    expect(JSON.parse(json.split('\n')[0] ?? '')).toMatchObject({
      payload: { message: { parts: text(hostile) } },
    });
    await gateway.close();
  });
});
