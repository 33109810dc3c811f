import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { eventsOf, replayOf } from '../../harness/runs.ts';
import { RetentionStage } from '../event/retention-stage.ts';

const MARK = 'vendor.harn_gateway.history_removed';

describe('runs that somebody wanted to see again are kept whole for longer', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage().open();
  });
  afterEach(() => stage.end());

  const verdictOf = async (source: Pick<Task, 'id'>) => {
    const replay = await replayOf(stage.client, source.id);
    const events = await eventsOf(stage.client, replay.id);
    return events.find(({ event }) => event === 'replay.completed')?.payload['verdict'];
  };
  const marked = async ({ id }: Task) => (await stage.kinds(`/v1/tasks/${id}/events`)).includes(MARK);

  it('a replayed run is replayed again long after the window of its neighbour', async () => {
    const replayed = await stage.run('hello');
    const plain = await stage.run('hello');
    expect(await verdictOf(replayed)).toMatchObject({ status: 'byte_equal' });
    for (const { session_id } of [replayed, plain]) await stage.close({ id: session_id });
    await stage.sweepAfter(60);
    expect([await marked(replayed), await marked(plain)]).toEqual([false, true]);
    expect(await stage.checked()).toEqual([]);
    // A closed session takes no more tasks; what is recorded is whole all the same.
    const frames = { gt: `f/${replayed.id}/`, lt: `f/${replayed.id}0`, limit: 100 };
    expect(await stage.gateway.log.indexKeys(frames)).not.toEqual([]);
    await stage.sweepAfter(121);
    expect(await marked(replayed)).toBe(true);
  });

  it('a failed run of an open session is byte_equal after two months', async () => {
    const failed = await stage.run('fail', undefined, 'FAILED');
    await stage.sweepAfter(60);
    expect(await marked(failed)).toBe(false);
    expect(await verdictOf(failed)).toMatchObject({ status: 'byte_equal' });
  });

  it('a run behind the window is refused, naming the first thing that is missing', async () => {
    const plain = await stage.run('hello');
    // The newest run of an open session stays.
    await stage.run('newest', plain.session_id);
    await stage.sweepAfter(60);
    const answer = await stage.client.call('POST', `/v1/tasks/${plain.id}/replay`);
    const text = JSON.stringify(answer.body);
    expect(answer.status, text).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(text).toMatch(/removed|missing|retention/i);
  });
});
