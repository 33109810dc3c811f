import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { type Driver, driver03, driver10, type Seen } from './a2a-drivers.ts';

type Connect = (url: string, fetchImpl: typeof fetch) => Promise<Driver>;

const CLIENTS: Record<string, Connect> = {
  '1.3 client, JSON-RPC': (url, fetchImpl) => driver10(url, 'JSONRPC', fetchImpl),
  '1.3 client, HTTP+JSON': (url, fetchImpl) => driver10(url, 'HTTP+JSON', fetchImpl),
  '0.3 client': driver03,
};
const AGENTS = { 'the 1.3 agent': startSampleAgent, 'the 0.3 agent': startAgent03 };
const PAIRS = Object.entries(CLIENTS).flatMap(([client, connect]) =>
  Object.entries(AGENTS).map(([agent, start]) => ({ name: `${client}, ${agent}`, connect, start })),
);

/** What a client sees of a fronted agent is what it would see of the agent itself (test/interop/sample-agent.test.ts). */
describe.each(PAIRS)('an agent behind the gateway: $name', ({ start, connect }) => {
  let agent: Peer;
  let gateway: TestGateway;
  let client: Driver;

  beforeAll(async () => {
    agent = await start();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } },
    });
    await described(gateway);
    client = await connect(`${gateway.url}`, authorized(gateway));
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  it('plain text is a task that works, makes one artifact and completes', async () => {
    const seen = await all(client.stream('one two three'));
    expect(seen.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect(seen[1]?.artifacts).toEqual([
      { id: 'answer', parts: ['You said: one two three\n(3 words, 13 characters)'] },
    ]);
    expect(new Set(seen.map((event) => event.taskId)).size).toBe(1);
    expect(new Set(seen.map((event) => event.contextId)).size).toBe(1);
  });

  it('a blocking call returns the completed task with its artifact', async () => {
    const task = await client.send('one two');
    expect(words(task)).toBe('task completed');
    expect(task.artifacts?.[0]?.parts).toEqual(['You said: one two\n(2 words, 7 characters)']);
    expect(task.taskId).toMatch(/^task_/);
    expect(task.contextId).toMatch(/^session_/);
  });

  it('hello is answered with a message and no task', async () => {
    expect((await client.send('hello')).kind).toBe('message');
    const [message, ...more] = await all(client.stream('Hello, agent'));
    expect(message).toMatchObject({ kind: 'message', text: expect.stringContaining('sample agent') });
    expect(more).toEqual([]);
  });

  it('stream N sends N chunks of one artifact, appended, the last one marked', async () => {
    const seen = await all(client.stream('stream 3'));
    const chunks = seen.filter((event) => event.kind === 'artifact');
    expect(chunks.map(({ append, lastChunk }) => ({ append, lastChunk }))).toEqual([
      { append: false, lastChunk: false },
      { append: true, lastChunk: false },
      { append: true, lastChunk: true },
    ]);
    const stored = await client.get(chunks[0]?.taskId ?? '');
    expect(stored.artifacts).toEqual([
      { id: 'stream', parts: ['chunk 1 of 3\n', 'chunk 2 of 3\n', 'chunk 3 of 3\n'] },
    ]);
  });

  it('file makes an artifact with bytes and a structured value', async () => {
    const task = await client.send('file');
    expect(task.artifacts).toEqual([
      {
        id: 'report',
        parts: [
          { file: 'city,visitors\nVienna,12\nLisbon,30\n', type: 'text/csv' },
          { data: { rows: 2, columns: ['city', 'visitors'], total: 42 } },
        ],
      },
    ]);
    const seen = await all(client.stream('file'));
    expect(seen.find(({ kind }) => kind === 'artifact')?.artifacts).toEqual(task.artifacts);
  });

  it('ask waits for input and completes with the next message', async () => {
    const asked = await all(client.stream('ask'));
    expect(asked.map(words)).toEqual(['task working', 'status input-required']);
    expect(asked[1]?.text).toContain('favourite colour');
    const taskId = asked[0]?.taskId ?? '';
    const answered = await all(client.stream('green', taskId));
    expect(answered.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect(answered[1]).toMatchObject({ taskId, artifacts: [{ parts: ['You answered: green'] }] });
  });

  it('ask waits and completes over blocking calls too', async () => {
    const asked = await client.send('ask');
    expect(words(asked)).toBe('task input-required');
    const done = await client.send('blue', asked.taskId);
    expect(done).toMatchObject({ taskId: asked.taskId, contextId: asked.contextId, state: 'completed' });
  });

  it('login waits for authorization, and every stream of the task sees it go on', async () => {
    const waiting = client.stream('login');
    expect(words(await next(waiting))).toBe('task working');
    const wanted = await next(waiting);
    expect(words(wanted)).toBe('status auth-required');
    const resumed = await all(client.stream('done', wanted.taskId));
    expect(resumed.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect((await all(waiting)).map(words)).toEqual([
      'status working',
      'status working',
      'artifact',
      'status completed',
    ]);
  });

  it('login waits and goes on over blocking calls too', async () => {
    const wanted = await client.send('login');
    expect(words(wanted)).toBe('task auth-required');
    expect(words(await client.send('done', wanted.taskId))).toBe('task completed');
  });

  it('slow reports progress before it completes', async () => {
    const seen = await all(client.stream('slow 0.02'));
    expect(seen.map(words)).toEqual([
      'task working',
      'status working',
      'status working',
      'artifact',
      'status completed',
    ]);
    expect(seen[2]?.text).toBe('Step 2 of 2 done.');
  });

  it('slow stops when it is canceled, and its stream ends with CANCELED', async () => {
    const work = client.stream('slow 600');
    const { taskId } = await next(work);
    expect(words(await client.cancel(taskId))).toBe('task canceled');
    expect((await all(work)).map(words).at(-1)).toBe('status canceled');
    expect(words(await client.get(taskId))).toBe('task canceled');
  });

  it('a task that waits for input can be canceled', async () => {
    const { taskId } = await client.send('ask');
    expect(words(await client.cancel(taskId))).toBe('task canceled');
  });

  it('a completed task cannot be canceled', async () => {
    const { taskId } = await client.send('anything');
    await expect(client.cancel(taskId)).rejects.toThrow(/cannot be canceled|nothing to cancel/i);
    expect(words(await client.get(taskId))).toBe('task completed');
  });

  it('a second stream on a working task begins with its snapshot and sees its end', async () => {
    const work = client.stream('slow 600');
    const { taskId } = await next(work);
    const second = client.resubscribe(taskId);
    expect(words(await next(second))).toBe('task working');
    await client.cancel(taskId);
    expect((await all(second)).map(words).at(-1)).toBe('status canceled');
    await all(work);
  });

  it('refuse is rejected and fail fails, each with its words', async () => {
    expect(await client.send('refuse')).toMatchObject({ state: 'rejected', text: expect.any(String) });
    expect(await client.send('fail')).toMatchObject({ state: 'failed', text: expect.any(String) });
  });
});

function authorized(gateway: TestGateway): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${gateway.client.key}`);
    return fetch(input, { ...init, headers });
  };
}

/** Discovery runs in the background; a card is complete once it is over. */
async function described(gateway: TestGateway): Promise<void> {
  for (;;) {
    const answer = await fetch(`${gateway.url}/a2a/shop/.well-known/agent-card.json`);
    if (((await answer.json()) as { skills: unknown[] }).skills.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function all(stream: AsyncGenerator<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

async function next(stream: AsyncGenerator<Seen>): Promise<Seen> {
  const { value, done } = await stream.next();
  if (done) throw new Error('The stream ended.');
  return value;
}

function words({ kind, state }: Seen): string {
  return state === undefined ? kind : `${kind} ${state}`;
}
