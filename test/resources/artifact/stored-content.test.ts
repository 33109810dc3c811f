import { describe, expect, it } from 'vitest';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { artifactFrame, statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import type { TestClient } from '../../harness/client.ts';
import { type Action, type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { storedContents, storedIn } from '../../harness/stored-contents.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

const PIECE_BYTES = 262_144;
const provenance = { actor: 'actor_test' };

describe('stored content', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    config: OTHER_TENANT.config,
    keys: [OTHER_TENANT.key],
    agents: { scripted: () => startScriptedAgent(script) },
  });
  const stored = (bytes: Buffer | string, scope?: string) => storedIn(stage.gateway.log, bytes, scope);
  const register = async (client: TestClient, body: object = {}) =>
    (
      await client.post<Artifact>('/v1/artifacts', {
        kind: 'file',
        mime_type: 'application/octet-stream',
        visibility: 'public',
        ...body,
      })
    ).id;
  const put = (client: TestClient, id: string, body: Buffer | string) =>
    client.call<Artifact>('PUT', `/v1/artifacts/${id}/content`, {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    });
  const uploaded = async (body: Buffer | string, client = stage.client) => {
    const id = await register(client);
    expect((await put(client, id, body)).status).toBe(200);
    return id;
  };
  const contentOf = async (id: string, client = stage.client) =>
    (await client.call('GET', `/v1/artifacts/${id}/content`)).text;
  const remember = (content: unknown, owner_id = 'workspace_default') =>
    stage.client.post<{ id: string; content: { artifact_id?: string } }>('/v1/memories', {
      scope: 'workspace',
      owner_id,
      content,
      provenance,
    });
  const forget = (id: string) => stage.client.call('DELETE', `/v1/memories/${id}`);
  const made = async (...actions: Action[]) => {
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), ...actions, statusFrame('COMPLETED'));
    const { id } = await stage.client.submit('make', undefined, { route: 'a2a:scripted' });
    await stage.client.until(id, 'COMPLETED');
    const { data } = await stage.client.get<{ data: Artifact[] }>(`/v1/artifacts?task_id=${id}`);
    return data[0]?.id ?? '';
  };

  it('[TRA-16] equal bytes are stored once in a Workspace, whichever way they came', async () => {
    const text = 'one and the same text, '.repeat(30_000);
    const pieces = Math.ceil(text.length / PIECE_BYTES);
    const ids = [await uploaded(text), await uploaded(text)];
    expect(await stored(text)).toEqual({ pieces, references: 2 });
    const { session_id } = await stage.client.submit(text);
    const { data } = await stage.client.get<{ data: { parts: { artifact_id: string }[] }[] }>(
      `/v1/sessions/${session_id}/messages`,
    );
    ids.push(data[0]?.parts[0]?.artifact_id ?? '');
    ids.push((await remember(text)).content.artifact_id ?? '');
    const half = text.length / 2;
    const chunks = [artifactFrame(text.slice(0, half), false), artifactFrame(text.slice(half), true, true)];
    ids.push(await made(...chunks), await made(...chunks));
    // The sample agent echoes what it was told.
    const { pieces: count, references } = (await stored(text)) ?? {};
    expect(count).toBe(pieces);
    expect(references).toBeGreaterThanOrEqual(ids.length);
    for (const id of ids) expect(await contentOf(id)).toBe(text);
  });

  it('parts of an agent are read one by one out of content that is stored once', async () => {
    const long = 'x'.repeat(200_000);
    const frames = [
      artifactFrame(long, false),
      artifactFrame('Grüße', true),
      artifactFrame(long, true, true),
    ];
    const id = await made(...frames);
    const partsOf = async (query: string) => {
      const { text } = await stage.client.call('GET', `/v1/artifacts/${id}/content?form=parts${query}`);
      return (JSON.parse(text) as { text: string }[]).map((part) => part.text);
    };
    expect(await partsOf('')).toEqual([long, 'Grüße', long]);
    expect(await partsOf('&first_piece=1&pieces=1')).toEqual(['Grüße']);
    expect(await stored(`${long}Grüße${long}`)).toEqual({ pieces: 2, references: 1 });
  });

  it('an artifact that goes on after its end leaves nothing of the earlier end behind', async () => {
    const texts = ['alpha', 'beta', 'gamma'].map((word) => `${word} of one that goes on, `);
    const id = await made(...texts.map((text, at) => artifactFrame(text, at > 0, true)));
    expect(await contentOf(id)).toBe(texts.join(''));
    expect(await stored(texts[0] ?? '')).toBeUndefined();
    expect(await stored(texts.join(''))).toEqual({ pieces: 1, references: 1 });
  });

  it('stays while one refers to it, and goes with the last one', async () => {
    const [first, second] = [await remember('a thing to forget'), await remember('a thing to forget')];
    const bytes = JSON.stringify('a thing to forget');
    expect(await stored(bytes)).toEqual({ pieces: 1, references: 2 });
    await forget(first.id);
    expect(await stage.client.get(`/v1/memories/${second.id}`)).toMatchObject({
      content: 'a thing to forget',
    });
    await forget(second.id);
    expect(await stored(bytes)).toBeUndefined();
    const large = 'a large thing to forget, '.repeat(20_000);
    const [memory, upload] = [await remember(large), await uploaded(large)];
    await forget(memory.id);
    expect(await contentOf(upload)).toBe(large);
    expect(await stored(large)).toEqual({ pieces: 2, references: 1 });
  });

  it('callers who bring the same bytes at once share one copy', async () => {
    const bytes = 'brought by many at once, '.repeat(15_000);
    const ids = await Promise.all(Array.from({ length: 8 }, () => register(stage.client)));
    const answers = await Promise.all(ids.map((id) => put(stage.client, id, bytes)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(await stored(bytes)).toEqual({ pieces: 2, references: 8 });
    for (const id of ids) expect(await contentOf(id)).toBe(bytes);
  });

  it('an upload that races with the end of the last reference never loses its bytes', async () => {
    for (let race = 0; race < 10; race += 1) {
      const bytes = `race ${race}, `.repeat(10_000);
      const { id, content } = await remember(bytes);
      const artifact = await register(stage.client);
      const upload = () => put(stage.client, artifact, bytes);
      const calls = race % 2 === 0 ? [forget(id), upload()] : [upload(), forget(id)];
      expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 204]);
      expect(await contentOf(artifact)).toBe(bytes);
      expect(await stored(bytes)).toEqual({ pieces: 1, references: 1 });
      expect((await stage.client.call('GET', `/v1/artifacts/${content.artifact_id}/content`)).status).toBe(
        404,
      );
    }
  });

  it('a fork refers to the artifacts of its source and copies none', async () => {
    const text = 'said before the fork, '.repeat(10_000);
    const { session_id: id, id: task } = await stage.client.submit(text);
    await stage.client.until(task, 'COMPLETED');
    const before = await storedContents(stage.gateway.log);
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 0 });
    expect(await storedContents(stage.gateway.log)).toEqual(before);
    const { data } = await stage.client.get<{ data: { parts: { artifact_id: string }[] }[] }>(
      `/v1/sessions/${fork.id}/messages`,
    );
    expect(await contentOf(data[0]?.parts[0]?.artifact_id ?? '')).toBe(text);
  });

  it('another tenant has a copy of its own, and is told the same whether these bytes are here or not', async () => {
    const stranger = stage.as(OTHER_TENANT.key.actor);
    const told = async (bytes: string) => {
      const id = await register(stranger);
      const { status, body, headers } = await put(stranger, id, bytes);
      const names = [...headers.keys()].filter((name) => name !== 'x-request-id');
      return { id, status, members: Object.keys(body), names };
    };
    const bytes = 'known in one workspace only';
    await uploaded(bytes);
    const { id, ...known } = await told(bytes);
    const { id: _, ...unknown } = await told('known nowhere');
    expect(known).toEqual(unknown);
    expect(await stored(bytes)).toEqual({ pieces: 1, references: 1 });
    expect(await stored(bytes, OTHER_TENANT.workspace)).toEqual({ pieces: 1, references: 1 });
    expect(await contentOf(id, stranger)).toBe(bytes);
  });

  it('content of no bytes takes no room', async () => {
    const id = await uploaded(Buffer.alloc(0));
    expect(await contentOf(id)).toBe('');
    expect(await stored('')).toBeUndefined();
  });
});
