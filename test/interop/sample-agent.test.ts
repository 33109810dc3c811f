import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { all, type Driver, driver03, driver10, next, words } from './a2a-drivers.ts';
import { SAMPLE_BEHAVIOURS } from './sample-behaviours.ts';

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

  it.each(SAMPLE_BEHAVIOURS)('$title', ({ run }) => run(client));

  it('login waits for authorization and goes on with the next message, on its own stream', async () => {
    const waiting = client.stream('login');
    expect(words(await next(waiting))).toBe('task working');
    const wanted = await next(waiting);
    expect(words(wanted)).toBe('status auth-required');
    const resumed = await all(client.stream('done', wanted.taskId));
    expect(resumed.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect(await all(waiting)).toEqual([]);
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
