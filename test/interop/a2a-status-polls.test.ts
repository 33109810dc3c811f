import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { bind, chunk, PuppetClient, say, textOf } from '../faults/puppet-client.ts';
import { FaultyStore } from '../harness/faulty-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const AGENT = '/a2a/puppet';
const V1 = { 'a2a-version': '1.0' };

interface A2aTask {
  id: string;
  status: { state: string };
  history?: unknown[];
  artifacts?: { parts: unknown[] }[];
}

/** `chunks <n>` says so many pieces of one artifact; `slow` says something first that is not for everybody, and ends when told. */
let goOn: () => void = () => undefined;
const puppet = new PuppetClient(async function* (turn) {
  yield [bind(turn)];
  if (textOf(turn) === 'slow') {
    const parts = [{ type: 'text', text: 'between us', visibility: 'internal' } as const];
    yield [{ type: 'message', message: { role: 'agent', parts } }];
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
  const count = Number(textOf(turn).split(' ')[1] ?? 0);
  for (let n = 1; n <= count; n += 1) yield [chunk(`piece ${n} `, n > 1, n === count)];
  yield [say('done'), { type: 'status', to: 'COMPLETED' }];
});

describe('a client that polls Tasks over A2A', () => {
  let gateway: TestGateway;
  let store: FaultyStore;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    gateway = await startTestGateway({
      extraClients: [puppet],
      openStore: async (options) => {
        store = new FaultyStore(await openLevelStore(options));
        return store;
      },
    });
    const { id: session } = await gateway.client.session();
    for (const text of ['chunks 3', 'chunks 150']) {
      const { id } = await gateway.client.submit(text, session, { route: 'test:puppet' });
      await gateway.client.until(id, 'COMPLETED');
      ids[text] = id;
    }
  });
  afterAll(() => gateway.close());

  const get = async <Answer>(path: string): Promise<Answer> => {
    const answer = await gateway.client.call('GET', `${AGENT}${path}`, { headers: V1 });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Answer;
  };
  /** Look-ups, ranges of records and ranges of keys that the store was asked for. */
  const read = async (what: () => Promise<unknown>) => {
    const calls = () => [store.calls('get'), store.calls('entries'), store.calls('keys')];
    const before = calls();
    await what();
    return calls().map((count, at) => count - (before[at] ?? 0));
  };
  const poll = (text: string) => read(() => get(`/tasks/${ids[text]}?historyLength=0`));

  it('reads as much of a Task with 150 chunks as of one with 3, once it has asked', async () => {
    for (const text of ['chunks 3', 'chunks 150']) await poll(text);
    const polls = [await poll('chunks 3'), await poll('chunks 150')];
    expect(polls[1]).toEqual(polls[0]);
    expect(polls[0]).toEqual([6, 1, 0]);
  });

  it('reads of a list only what each Task has become since', async () => {
    const list = () => get<{ tasks: A2aTask[] }>('/tasks?includeArtifacts=true');
    const [first, again] = [await list(), await list()];
    expect(again).toEqual(first);
    expect(first.tasks.map(({ artifacts }) => artifacts?.[0]?.parts.length).sort()).toEqual([150, 3]);
    expect(await read(list)).toEqual([12, 2, 2]);
  });

  it('sees each time what the Task is by then, and never what is not for everybody', async () => {
    const { id } = await gateway.client.submit('slow', undefined, { route: 'test:puppet' });
    const polled = () => get<A2aTask>(`/tasks/${id}`);
    const before = await vi.waitFor(async () => {
      const seen = await polled();
      expect(JSON.stringify(seen)).toContain('redacted');
      return seen;
    });
    expect(before.status.state).toBe('TASK_STATE_WORKING');
    goOn();
    await gateway.client.until(id, 'COMPLETED');
    const after = await Promise.all([polled(), polled(), polled()]);
    for (const task of after) {
      expect(task).toEqual(after[0]);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(JSON.stringify(task)).toContain('done');
      expect(JSON.stringify(task)).not.toContain('between us');
    }
  });
});
