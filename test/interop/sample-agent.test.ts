import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { type Driver, driver03, driver10, type Seen } from './a2a-drivers.ts';

const PAIRS = [
  {
    name: '1.3 client, JSON-RPC',
    start: startSampleAgent,
    connect: (url: string) => driver10(url, 'JSONRPC'),
  },
  {
    name: '1.3 client, HTTP+JSON',
    start: startSampleAgent,
    connect: (url: string) => driver10(url, 'HTTP+JSON'),
  },
  { name: '0.3 client of the 1.3 agent', start: startSampleAgent, connect: driver03 },
  { name: '0.3 client of the 0.3 agent', start: startAgent03, connect: driver03 },
] as const;

describe.each(PAIRS)('the sample behaviours: $name', ({ start, connect }) => {
  let agent: Peer;
  let client: Driver;

  beforeAll(async () => {
    agent = await start();
    client = await connect(agent.url);
  });
  afterAll(() => agent.close());

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

  it('login waits for authorization and goes on with the next message, on its own stream', async () => {
    const waiting = client.stream('login');
    expect(words(await next(waiting))).toBe('task working');
    const wanted = await next(waiting);
    expect(words(wanted)).toBe('status auth-required');
    const resumed = await all(client.stream('done', wanted.taskId));
    expect(resumed.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect(await all(waiting)).toEqual([]);
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
    expect((await all(work)).map(words)).toEqual(['status canceled']);
    expect(words(await client.get(taskId))).toBe('task canceled');
  });

  it('a task that waits for input can be canceled', async () => {
    const { taskId } = await client.send('ask');
    expect(words(await client.cancel(taskId))).toBe('task canceled');
  });

  it('a completed task cannot be canceled', async () => {
    const { taskId } = await client.send('anything');
    await expect(client.cancel(taskId)).rejects.toThrow(/not cancelable|cannot be canceled/i);
    expect(words(await client.get(taskId))).toBe('task completed');
  });

  it('a second stream on a working task begins with its snapshot and sees its end', async () => {
    const work = client.stream('slow 600');
    const { taskId } = await next(work);
    const second = client.resubscribe(taskId);
    expect(words(await next(second))).toBe('task working');
    const rest = all(second);
    await client.cancel(taskId);
    expect((await rest).map(words)).toEqual(['status canceled']);
    await all(work);
  });

  it('refuse is rejected before any work', async () => {
    const seen = await all(client.stream('refuse'));
    expect(seen.map(words)).toEqual(['task submitted', 'status rejected']);
    expect(seen[1]?.text).toBe('I do not take this task.');
  });

  it('fail fails with a message', async () => {
    const failed = await client.send('fail');
    expect(failed).toMatchObject({ kind: 'task', state: 'failed', text: 'It failed, as you asked.' });
  });

  it('an unknown task is an error', async () => {
    await expect(client.get('no-such-task')).rejects.toThrow(/not found/i);
  });
});

async function all(events: AsyncGenerator<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function next(events: AsyncGenerator<Seen>): Promise<Seen> {
  const step = await events.next();
  if (step.done) throw new Error('The stream ended too early.');
  return step.value;
}

function words({ kind, state }: Seen): string {
  return state === undefined ? kind : `${kind} ${state}`;
}
