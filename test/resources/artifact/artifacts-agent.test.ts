import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Artifact } from '#resources/artifact/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { artifactFrame, statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Action, type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('artifacts of agents', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({ agents: { scripted: () => startScriptedAgent(script) } });
  const made = async (...actions: Action[]) => {
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), ...actions);
    const { id } = await stage.client.submit('make', undefined, { route: 'a2a:scripted' });
    await stage.client.until(id, 'COMPLETED');
    const { data } = await stage.client.get<{ data: Artifact[] }>(`/v1/artifacts?task_id=${id}`);
    const contents = await Promise.all(
      data.map(async (one) => (await stage.client.call('GET', `/v1/artifacts/${one.id}/content`)).text),
    );
    const events = (await stage.client.events(`/v1/tasks/${id}/events`)).filter(({ event }) =>
      event.startsWith('artifact.'),
    );
    return { data, contents, events };
  };
  const done = statusFrame('COMPLETED');

  it('[CORE-RES-11] chunks are joined to the exact bytes, and the last one fixes the hash', async () => {
    const texts = ['Grüße, ', '世界', '\n\u0000', '', '😀 end'];
    const frames = texts.map((text, at) => artifactFrame(text, at > 0, at === texts.length - 1));
    const { data, contents, events } = await made(...frames, done);
    expect(contents).toEqual([texts.join('')]);
    expect(data[0]).toMatchObject({ sha256: sha256(texts.join('')), mime_type: 'text/plain; charset=utf-8' });
    expect(events.map(({ event }) => event)).toEqual([
      'artifact.created',
      ...texts.map(() => 'artifact.updated'),
    ]);
    const chunks = events.slice(0, texts.length);
    expect(chunks.map(({ payload }) => payload['chunk_index'])).toEqual([0, 1, 2, 3, 4]);
    expect(chunks.map(({ payload }) => payload['append'])).toEqual([false, true, true, true, true]);
    expect(events.at(-1)?.payload).toMatchObject({
      last_chunk: true,
      sha256: data[0]?.sha256,
      size: Buffer.byteLength(texts.join('')),
    });
  });

  it('[CORE-RES-11] without a last chunk, the end of the task closes the artifact', async () => {
    const { data, contents, events } = await made(artifactFrame('a', false), artifactFrame('b', true), done);
    expect(contents).toEqual(['ab']);
    expect(data[0]?.sha256).toBe(sha256('ab'));
    const kinds = events.map(({ event, payload }) => [event, payload['last_chunk']]);
    expect(kinds).toEqual([
      ['artifact.created', false],
      ['artifact.updated', false],
      ['artifact.updated', true],
    ]);
  });

  it('[CORE-RES-11] an agent that calls every chunk the last one pays for one end and gets one at the end of the task', async () => {
    const frames = ['a', 'b', 'c', 'd'].map((text, at) => artifactFrame(text, at > 0, true));
    const { data, contents, events } = await made(...frames, done);
    expect(contents).toEqual(['abcd']);
    expect(data[0]?.sha256).toBe(sha256('abcd'));
    const ends = events.filter(({ payload }) => payload['last_chunk']);
    expect(ends.map(({ payload }) => payload['sha256'])).toEqual([sha256('a'), sha256('abcd')]);
  });

  it('[CORE-RES-11] an artifact sent anew replaces what was there', async () => {
    const { contents, data } = await made(
      artifactFrame('draft', false),
      artifactFrame('final', false, true),
      done,
    );
    expect(contents).toEqual(['final']);
    expect(data[0]?.sha256).toBe(sha256('final'));
  });

  it('[CORE-RES-11] bytes keep their media type, several parts become a document that loses none', async () => {
    const task = await stage.client.submit('file');
    await stage.client.until(task.id, 'COMPLETED');
    const { data } = await stage.client.get<{ data: Artifact[] }>(`/v1/artifacts?task_id=${task.id}`);
    const [report] = data;
    expect(report?.metadata).toMatchObject({ name: 'report' });
    const content = await stage.client.call('GET', `/v1/artifacts/${report?.id}/content`);
    expect(content.headers.get('content-type')).toBe('application/vnd.harn.artifact+json');
    const { parts } = JSON.parse(content.text) as {
      parts: { type: string; base64?: string; value?: unknown }[];
    };
    expect(Buffer.from(parts[0]?.base64 ?? '', 'base64').toString()).toBe(
      'city,visitors\nVienna,12\nLisbon,30\n',
    );
    expect(parts[1]?.value).toEqual({ rows: 2, columns: ['city', 'visitors'], total: 42 });
    expect(report?.sha256).toBe(sha256(content.text));
  });

  it('an artifact of a running task can be read as far as it is', async () => {
    script['SendStreamingMessage'] = () =>
      stream(taskFrame('WORKING'), artifactFrame('so far', false), { hang: true });
    const { id } = await stage.client.submit('make', undefined, { route: 'a2a:scripted' });
    const found = async () =>
      (await stage.client.get<{ data: Artifact[] }>(`/v1/artifacts?task_id=${id}`)).data;
    await expect.poll(found).toMatchObject([{ sha256: null }]);
    const [open] = await found();
    expect((await stage.client.call('GET', `/v1/artifacts/${open?.id}/content`)).text).toBe('so far');
    await stage.client.post(`/v1/tasks/${id}/cancel`);
    expect(await found()).toMatchObject([{ sha256: sha256('so far') }]);
  });

  it('two tasks whose agents use one artifact id have two artifacts', async () => {
    const one = await made(artifactFrame('one', false, true), done);
    const two = await made(artifactFrame('two', false, true), done);
    expect(one.data[0]?.id).not.toBe(two.data[0]?.id);
    expect([...one.contents, ...two.contents]).toEqual(['one', 'two']);
  });
});
