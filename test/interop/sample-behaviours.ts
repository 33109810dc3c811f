import { expect } from 'vitest';
import { all, type Driver, next, words } from './a2a-drivers.ts';

/** What the sample agent does, as its clients see it: by itself, and behind a gateway. */
export const SAMPLE_BEHAVIOURS: readonly { title: string; run(client: Driver): Promise<void> }[] = [
  {
    title: 'plain text is a task that works, makes one artifact and completes',
    async run(client) {
      const seen = await all(client.stream('one two three'));
      expect(seen.map(words)).toEqual(['task working', 'artifact', 'status completed']);
      expect(seen[1]?.artifacts).toEqual([
        { id: 'answer', parts: ['You said: one two three\n(3 words, 13 characters)'] },
      ]);
      expect(new Set(seen.map((event) => event.taskId)).size).toBe(1);
      expect(new Set(seen.map((event) => event.contextId)).size).toBe(1);
    },
  },
  {
    title: 'a blocking call returns the completed task with its artifact',
    async run(client) {
      const task = await client.send('one two');
      expect(words(task)).toBe('task completed');
      expect(task.artifacts?.[0]?.parts).toEqual(['You said: one two\n(2 words, 7 characters)']);
    },
  },
  {
    title: 'hello is answered with a message and no task',
    async run(client) {
      expect((await client.send('hello')).kind).toBe('message');
      const [message, ...more] = await all(client.stream('Hello, agent'));
      expect(message).toMatchObject({ kind: 'message', text: expect.stringContaining('sample agent') });
      expect(more).toEqual([]);
    },
  },
  {
    title: 'stream N sends N chunks of one artifact, appended, the last one marked',
    async run(client) {
      const seen = await all(client.stream('stream 3'));
      const chunks = seen.filter((event) => event.kind === 'artifact');
      expect(chunks.map(({ append, lastChunk }) => ({ append, lastChunk }))).toEqual([
        { append: false, lastChunk: false },
        { append: !client.losesAppend, lastChunk: false },
        { append: !client.losesAppend, lastChunk: true },
      ]);
      const stored = await client.get(chunks[0]?.taskId ?? '');
      expect(stored.artifacts).toEqual([
        { id: 'stream', parts: ['chunk 1 of 3\n', 'chunk 2 of 3\n', 'chunk 3 of 3\n'] },
      ]);
    },
  },
  {
    title: 'file makes an artifact with bytes and a structured value',
    async run(client) {
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
    },
  },
  {
    title: 'ask waits for input and completes with the next message',
    async run(client) {
      const asked = await all(client.stream('ask'));
      expect(asked.map(words)).toEqual(['task working', 'status input-required']);
      expect(asked[1]?.text).toContain('favourite colour');
      const taskId = asked[0]?.taskId ?? '';
      const answered = await all(client.stream('green', taskId));
      expect(answered.map(words)).toEqual(['task working', 'artifact', 'status completed']);
      expect(answered[1]).toMatchObject({ taskId, artifacts: [{ parts: ['You answered: green'] }] });
    },
  },
  {
    title: 'ask waits and completes over blocking calls too',
    async run(client) {
      const asked = await client.send('ask');
      expect(words(asked)).toBe('task input-required');
      const done = await client.send('blue', asked.taskId);
      expect(done).toMatchObject({ taskId: asked.taskId, contextId: asked.contextId, state: 'completed' });
    },
  },
  {
    title: 'login waits and goes on over blocking calls too',
    async run(client) {
      const wanted = await client.send('login');
      expect(words(wanted)).toBe('task auth-required');
      expect(words(await client.send('done', wanted.taskId))).toBe('task completed');
    },
  },
  {
    title: 'slow reports progress before it completes',
    async run(client) {
      const seen = await all(client.stream('slow 0.02'));
      expect(seen.map(words)).toEqual([
        'task working',
        'status working',
        'status working',
        'artifact',
        'status completed',
      ]);
      expect(seen[2]?.text).toBe('Step 2 of 2 done.');
    },
  },
  {
    title: 'slow stops when it is canceled, and its stream ends with CANCELED',
    async run(client) {
      const work = client.stream('slow 600');
      const { taskId } = await next(work);
      expect(words(await client.cancel(taskId))).toBe('task canceled');
      expect((await all(work)).map(words).at(-1)).toBe('status canceled');
      expect(words(await client.get(taskId))).toBe('task canceled');
    },
  },
  {
    title: 'a task that waits for input can be canceled',
    async run(client) {
      const { taskId } = await client.send('ask');
      expect(words(await client.cancel(taskId))).toBe('task canceled');
    },
  },
  {
    title: 'a completed task cannot be canceled',
    async run(client) {
      const { taskId } = await client.send('anything');
      await expect(client.cancel(taskId)).rejects.toThrow(
        /not cancelable|cannot be canceled|nothing to cancel/i,
      );
      expect(words(await client.get(taskId))).toBe('task completed');
    },
  },
  {
    title: 'a second stream on a working task begins with its snapshot and sees its end',
    async run(client) {
      const work = client.stream('slow 600');
      const { taskId } = await next(work);
      const second = client.resubscribe(taskId);
      expect(words(await next(second))).toBe('task working');
      await client.cancel(taskId);
      expect((await all(second)).map(words).at(-1)).toBe('status canceled');
      await all(work);
    },
  },
];
