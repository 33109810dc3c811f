import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import {
  append,
  appendImage,
  kindsOf,
  sessionSaying,
  textsOf,
  transcriptOf,
} from '../../harness/transcripts.ts';

const PNG = Buffer.from('not really a png, but bytes');
const PROMPT = 'Answer in one sentence, and never in verse.';

describe('the transcript of a session', () => {
  const stage = stageOf({ keys: [{ actor: 'reader', scopes: ['sessions:read'] }] });

  it('[TRA-01] [TRA-02] [TRA-03] [TRA-04] [TRA-08] is one value: turns in messages, facts in events, bytes in assets', async () => {
    const session = await stage.client.session();
    const image = await appendImage(stage.client, session.id, PNG);
    const task = await stage.client.submit('file', session.id);
    await stage.client.until(task.id, 'COMPLETED');
    const read = await transcriptOf(stage.client, session.id);
    expect(read).toMatchObject({ _type: 'transcript', version: 2, id: session.id.replace('session', 'tr') });
    const [first] = read.messages;
    expect(first).toMatchObject({
      role: 'user',
      position: 0,
      content: [
        { type: 'image', asset_id: image },
        { type: 'text', text: 'Review this screenshot' },
      ],
    });
    expect(read.messages.map(({ position }) => position)).toEqual(read.messages.map((_, at) => at));
    const log = await stage.client.events(`/v1/sessions/${session.id}/events`);
    expect(read.events.map(({ event_id, event }) => [event_id, event])).toEqual(
      log.map(({ id, event }) => [id, event]),
    );
    expect(read.events.find(({ kind }) => kind === 'message')).toMatchObject({
      role: 'user',
      text: `<image:${image}> Review this screenshot`,
      blocks: first?.content,
    });
    expect(kindsOf(read)).toContain('task');
    const sha256 = createHash('sha256').update(PNG).digest('hex');
    expect(read.assets.find(({ id }) => id === image)).toMatchObject({
      _type: 'transcript_asset',
      kind: 'image',
      mime_type: 'image/png',
      storage: { path: `sha256/${sha256}`, uri: `/v1/artifacts/${image}/content`, size: PNG.length },
    });
    expect(read.assets.some(({ task_id }) => task_id === task.id)).toBe(true);
    expect(JSON.stringify(read)).not.toContain(PNG.toString('base64'));
  });

  it('[TRA-05] [TRA-06] the system prompt is metadata, and one leading internal event with its fingerprint', async () => {
    const { id } = await stage.client.session({ system_prompt: PROMPT });
    await append(stage.client, id, 'hi');
    const { metadata, messages, events } = await transcriptOf(stage.client, id);
    expect(metadata['system_prompt']).toBe(PROMPT);
    expect(events[0]).toMatchObject({
      kind: 'system_prompt',
      visibility: 'internal',
      fingerprint: `sha256:${createHash('sha256').update(JSON.stringify(PROMPT)).digest('hex')}`,
    });
    expect(events.filter(({ kind }) => kind === 'system_prompt')).toHaveLength(1);
    expect(JSON.stringify([messages, events])).not.toContain(PROMPT);
  });

  it('[TRA-07] every request to the agent says the system prompt, also those of later turns that say nothing of it', async () => {
    const { id } = await stage.client.session({ system_prompt: PROMPT });
    const from = stage.peer('sample').requests.length;
    const asked = await stage.client.submit('ask', id);
    await stage.client.until(asked.id, 'INPUT_REQUIRED');
    await stage.client.answer(asked.id, 'blue');
    await stage.client.until(asked.id, 'COMPLETED');
    const sent = stage
      .peer('sample')
      .requests.slice(from)
      .map(({ body }) => body)
      .filter((body) => body.includes('"messageId"'));
    expect(sent.length).toBeGreaterThanOrEqual(2);
    expect(sent.filter((body) => !body.includes(PROMPT))).toEqual([]);
  });

  it('a reader without internal:read sees descriptors in the place of internal parts and of the fingerprint', async () => {
    const { id } = await stage.client.session({ system_prompt: PROMPT });
    const parts = [{ type: 'text', text: 'between us', visibility: 'internal' }];
    await stage.client.post(`/v1/sessions/${id}/messages`, { message: { role: 'user', parts } });
    const text = JSON.stringify(await transcriptOf(stage.as('reader'), id));
    expect(text).not.toContain('between us');
    expect(text).not.toContain('fingerprint');
    expect(JSON.stringify(await transcriptOf(stage.client, id))).toContain('between us');
  });

  it('[CORE-RES-05] concurrent appends and compactions leave one order: that of the events', async () => {
    const { id } = await stage.client.session();
    const texts = Array.from({ length: 60 }, (_, at) => `word ${at}`);
    await Promise.all(
      texts.map(async (text, at) => {
        await append(stage.client, id, text);
        if (at % 20 === 0) await stage.client.post(`/v1/sessions/${id}/compact`, { keep_last: 5 });
      }),
    );
    const read = await transcriptOf(stage.client, id);
    const said = read.events.filter(({ kind }) => kind === 'message').map(({ text }) => text);
    expect(textsOf(read)).toEqual(said);
    expect([...said].sort()).toEqual([...texts].sort());
    expect(read.messages.map(({ position }) => position)).toEqual(texts.map((_, at) => at));
  });

  it('is streamed page by page, and comes out whole however long it is', async () => {
    const initial_messages = Array.from({ length: 200 }, (_, at) => userText(`turn ${at}`));
    const made = await stage.client.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      initial_messages,
    });
    for (let at = 200; at < 205; at += 1) await append(stage.client, made.id, `turn ${at}`);
    const answer = await stage.client.call('GET', `/v1/sessions/${made.id}/transcript`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    const read = await transcriptOf(stage.client, made.id);
    expect(textsOf(read)).toEqual(Array.from({ length: 205 }, (_, at) => `turn ${at}`));
    expect(read.events).toHaveLength(1 + 205 * 2);
  });

  it('a fork begins with the turns, audit messages and assets of its source, and says where it comes from', async () => {
    const source = await sessionSaying(stage.client, ['one']);
    const image = await appendImage(stage.client, source, PNG);
    const fork = await stage.client.post<Session>(`/v1/sessions/${source}/fork`, {});
    await append(stage.client, source, 'only there');
    await append(stage.client, fork.id, 'only here');
    const read = await transcriptOf(stage.client, fork.id);
    expect(textsOf(read).slice(0, 1)).toEqual(['one']);
    expect(textsOf(read).at(-1)).toBe('only here');
    expect(textsOf(read)).not.toContain('only there');
    expect(fork.transcript['message_count']).toBe(read.messages.length - 1);
    expect(read.assets.map(({ id }) => id)).toContain(image);
    expect(read.events.filter(({ kind }) => kind === 'message')).toHaveLength(read.messages.length);
    expect(read.metadata['lineage']).toMatchObject({ parent_session_id: source, root_session_id: source });
  });

  it('an absent session, and one the caller may not read, have no transcript', async () => {
    const absent = await stage.client.call('GET', '/v1/sessions/session_01ABSENT/transcript');
    expect([absent.status, absent.body]).toMatchObject([404, { error: { code: 'resource_not_found' } }]);
  });
});
