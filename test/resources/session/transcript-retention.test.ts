import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { storedIn } from '../../harness/stored-contents.ts';
import { kindsOf, textsOf, transcriptOf } from '../../harness/transcripts.ts';
import { RetentionStage } from '../event/retention-stage.ts';

describe('transcripts and the retention of events', () => {
  const stage = new RetentionStage();
  beforeAll(() => stage.open());
  afterAll(() => stage.end());

  it('a transcript whose oldest events were removed is still whole in its messages, compacted or not', async () => {
    const { session_id: id } = await stage.run('one');
    await stage.run('two', id);
    await stage.client.post(`/v1/sessions/${id}/compact`, { keep_last: 3, summary: 'One was said.' });
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    await stage.run('three', fork.id);
    await stage.run('three', id);
    const before = [await transcriptOf(stage.client, id), await transcriptOf(stage.client, fork.id)];
    await stage.sweepAfter(31);
    await stage.sweepAfter(1);
    const after = [await transcriptOf(stage.client, id), await transcriptOf(stage.client, fork.id)];
    for (const at of [0, 1]) {
      expect(after[at]?.messages).toEqual(before[at]?.messages);
      expect(after[at]?.assets).toEqual(before[at]?.assets);
      expect(after[at]?.summary).toBe('One was said.');
    }
    const [read] = after;
    if (read === undefined) throw new Error('no transcript');
    expect(kindsOf(read).length).toBeLessThan(before[0]?.events.length ?? 0);
    expect(textsOf(read)).toContain('three');
    expect(await stage.checked()).toEqual([]);
  });

  it('a fork of a transcript that had lost its oldest events copied all of its turns', async () => {
    const { session_id: id } = await stage.run('one');
    await stage.run('two', id);
    // The history of the first run goes; its turns stay, beside those of the second one.
    await stage.sweepAfter(31);
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    for (const text of ['three', 'four']) await stage.run(text, fork.id);
    const before = await transcriptOf(stage.client, fork.id);
    await stage.sweepAfter(31);
    expect(await stage.checked()).toEqual([]);
    expect((await transcriptOf(stage.client, fork.id)).messages).toEqual(before.messages);
    expect(textsOf(before)).toContain('You said: two');
  });

  it('content that a session and its fork made alike stays, and is counted for both, when their events go', async () => {
    // A run of interest keeps the history of the source, so that of the fork goes alone.
    const { session_id: id } = await stage.run('fail', undefined, 'FAILED');
    await stage.run('alike', id);
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    // The newest run of each stays.
    for (const text of ['alike', 'later']) for (const one of [fork.id, id]) await stage.run(text, one);
    const references = async () => (await storedIn(stage.gateway.log, 'artifact of alike'))?.references;
    expect(await references()).toBe(3);
    await stage.sweepAfter(31);
    await stage.sweepAfter(1);
    expect(await stage.checked()).toEqual([]);
    expect(await references()).toBe(3);
  });
});
