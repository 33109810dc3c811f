import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { ToolClient } from '../../harness/tool-client.ts';
import {
  append,
  appendImage,
  kindsOf,
  sessionSaying,
  textsOf,
  transcriptOf,
} from '../../harness/transcripts.ts';

const WORDS = ['one', 'two', 'three', 'four'];

describe('compaction', () => {
  const upstream = new ToolClient();
  const stage = stageOf({ extraClients: [upstream] });
  const compact = (id: string, body: object) =>
    stage.client.call<{ error: object }>('POST', `/v1/sessions/${id}/compact`, { body });

  it('[TRA-09] a summary stands for archived text; descriptors and recent turns with images stay', async () => {
    const { id } = await stage.client.session();
    const image = await appendImage(stage.client, id, Buffer.from('pixels'));
    const first = await stage.client.submit('hi', id);
    await stage.client.until(first.id, 'COMPLETED');
    const before = await transcriptOf(stage.client, id);
    const result = await stage.client.post(`/v1/sessions/${id}/compact`, {
      summary: 'A picture was shown.',
      keep_last: 1,
    });
    expect(result).toMatchObject({
      object: 'session.compact_result',
      compacted_turn_count: before.messages.length - 1,
      retained_turn_count: 2,
      summary: 'A picture was shown.',
      summary_source: 'caller',
      session: { summary: 'A picture was shown.', transcript: { message_count: before.messages.length } },
    });
    const after = await transcriptOf(stage.client, id);
    expect(after.summary).toBe('A picture was shown.');
    expect(after.messages).toEqual([before.messages[0], before.messages.at(-1)]);
    expect(after.assets).toEqual(before.assets);
    expect(after.assets.map((asset) => asset.id)).toContain(image);
    expect(kindsOf(after)).toContain('compaction');
    expect(kindsOf(after).indexOf('compaction')).toBeLessThan(kindsOf(before).length);
  });

  it('[TRA-09] without a summary of the caller there is an extract, the same for the same turns', async () => {
    const summaries = [];
    for (const _ of [1, 2]) {
      const id = await sessionSaying(stage.client, WORDS);
      const { body } = await compact(id, { keep_last: 2 });
      summaries.push((body as unknown as { summary: string }).summary);
      expect(body).toMatchObject({ summary_source: 'extract' });
    }
    expect(summaries[0]).toBe(summaries[1]);
    expect(summaries[0]?.split('\n').slice(0, 2)).toEqual(['user: one', 'user: two']);
  });

  it('[TRA-15] archived Messages, Events and Artifacts stay readable, and a run before it is byte_equal', async () => {
    const { id } = await stage.client.session();
    const task = await stage.client.submit('file', id);
    await stage.client.until(task.id, 'COMPLETED');
    const messages = await stage.client.get<{ data: { id: string }[] }>(`/v1/sessions/${id}/messages`);
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    await compact(id, { keep_last: 0, reason: 'tidy' });
    expect(textsOf(await transcriptOf(stage.client, id))).toEqual([]);
    expect(await stage.client.get(`/v1/sessions/${id}/messages`)).toEqual(messages);
    const now = await stage.client.events(`/v1/sessions/${id}/events`);
    expect(now.slice(0, events.length)).toEqual(events);
    const compacted = now.at(-1);
    expect(compacted).toMatchObject({
      event: 'session.compacted',
      payload: {
        reason: 'tidy',
        archive: {
          turns: messages.data.length,
          first_message_id: messages.data[0]?.id,
          last_message_id: messages.data.at(-1)?.id,
          through_event_id: events.filter(({ event }) => event === 'session.message_appended').at(-1)?.id,
        },
      },
    });
    const replay = await stage.client.post<{ id: string }>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
    await stage.client.until(replay.id, 'COMPLETED');
    const replayed = await stage.client.events(`/v1/tasks/${replay.id}/events`);
    const verdict = replayed.find(({ event }) => event === 'replay.completed')?.payload;
    expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('[TRA-14] what an agent is told of the past is the compacted transcript', async () => {
    const id = await sessionSaying(stage.client, WORDS);
    await compact(id, { keep_last: 1, summary: 'Four words were said.' });
    const input = { steps: [] };
    const metadata = { route: 'fake:tools' };
    const task = await stage.client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, { input, metadata });
    await stage.client.until(task.id, 'COMPLETED');
    const told = upstream.turns.at(-1)?.history() ?? [];
    expect(told[0]).toEqual({ role: 'system', text: 'Four words were said.' });
    expect(told).toHaveLength(2);
    expect(told[1]?.role).toBe('agent');
  });

  it('archives nothing that is still to be sent, and changes nothing when nothing can be archived', async () => {
    const { id } = await stage.client.session();
    for (const text of WORDS) await append(stage.client, id, text);
    const { body } = await compact(id, { keep_last: 0 });
    expect(body).toMatchObject({ compacted_turn_count: 0, retained_turn_count: 4, summary: null });
    expect(kindsOf(await transcriptOf(stage.client, id))).not.toContain('compaction');
  });

  it('a later compaction goes on from an earlier one; cutting the transcript inside of it brings the turns back', async () => {
    const id = await sessionSaying(stage.client, WORDS);
    await compact(id, { keep_last: 3, summary: 'First part.' });
    const { body } = await compact(id, { keep_last: 1 });
    expect((body as unknown as { summary: string }).summary.split('\n')[0]).toBe('First part.');
    await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 2 });
    const read = await transcriptOf(stage.client, id);
    expect(textsOf(read)).toEqual(['one', 'two']);
    expect(read.summary).toBeNull();
    const session = await stage.client.get<Session>(`/v1/sessions/${id}`);
    expect(session).toMatchObject({ summary: null, transcript: { message_count: 2 } });
  });

  it('a fork of a compacted session is compacted; one inside of the archive is whole', async () => {
    const id = await sessionSaying(stage.client, WORDS);
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    const second = events.filter(({ event }) => event === 'session.message_appended')[1];
    await compact(id, { keep_last: 1, summary: 'Said before.' });
    const whole = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, { at_event_id: second?.id });
    const short = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    expect(textsOf(await transcriptOf(stage.client, whole.id))).toEqual(['one', 'two']);
    expect(whole).toMatchObject({ summary: null, transcript: { message_count: 2 } });
    const read = await transcriptOf(stage.client, short.id);
    expect([read.summary, read.messages.length]).toEqual(['Said before.', 1]);
  });

  it.each([
    [{ keep_last: -1 }, 'keep_last'],
    [{ keep_last: 'all' }, 'keep_last'],
    [{ summary: '' }, 'summary'],
    [{ summary: 'x'.repeat(20_001) }, 'summary'],
    [{ reason: 7 }, 'reason'],
  ])('refuses %j and names the member', async (body, param) => {
    const { id } = await stage.client.session();
    const answer = await compact(id, body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_request', param }]);
  });

  it('a closed session is not compacted any more', async () => {
    const id = await sessionSaying(stage.client, WORDS);
    await stage.client.post(`/v1/sessions/${id}/close`);
    expect((await compact(id, {})).status).toBe(409);
  });
});
