import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#json/canonical.ts';
import type { Transcript } from '#resources/session/transcript/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { sha256Of } from '../../harness/stored-contents.ts';
import { append, appendImage, textsOf, transcriptOf } from '../../harness/transcripts.ts';

describe('a transcript handed from one gateway to another', () => {
  // A connection of a client lives while the other gateway works.
  const config = {
    receipts: { issuer: 'harness_shared' },
    limits: { keep_alive_timeout_ms: 60_000 },
  };
  const a = stageOf({ config });
  const b = stageOf({ config });

  async function exported({ client }: typeof a, id: string, options: object = {}): Promise<string> {
    const body = { session_id: id, mode: 'local', include_attachments: true, ...options };
    const bundle = await client.call('POST', '/v1/bundles/export', { body });
    expect(bundle.status, bundle.text).toBe(200);
    return bundle.text;
  }

  async function imported(bundle: string): Promise<string> {
    const answer = await b.client.call<{ session_id: string }>('POST', '/v1/bundles/import', {
      body: Buffer.from(bundle),
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.session_id;
  }

  const moved = async (id: string) => imported(await exported(a, id));

  it('is as compacted there as it was here, with the same messages, summary and audit history', async () => {
    const { id } = await a.client.session({ system_prompt: 'Be brief.' });
    // The other gateway has numbered more events than this one.
    const elsewhere = await b.client.session();
    for (let at = 0; at < 20; at += 1) await append(b.client, elsewhere.id, 'x'.repeat(at + 1));
    await appendImage(a.client, id, Buffer.from('pixels'));
    for (const text of ['hi', 'hello', 'stream 2'])
      await a.client.until((await a.client.submit(text, id)).id, 'COMPLETED');
    await a.client.post(`/v1/sessions/${id}/compact`, { keep_last: 2, summary: 'Greetings.' });
    const here = await transcriptOf(a.client, id);
    const there = await transcriptOf(b.client, await moved(id));
    expect(there.summary).toBe('Greetings.');
    expect(textsOf(there)).toEqual(textsOf(here));
    expect(there.messages.map(({ position, role }) => [position, role])).toEqual(
      here.messages.map(({ position, role }) => [position, role]),
    );
    expect(kinds(there)).toEqual(kinds(here));
    expect(there.metadata['system_prompt']).toBe('Be brief.');
  });

  it('has one shape in bundles and at its own route; content travels only where it is asked for', async () => {
    const { id } = await a.client.session({ system_prompt: 'Be brief.' });
    await appendImage(a.client, id, Buffer.from('pixels'));
    await a.client.until((await a.client.submit('file', id)).id, 'COMPLETED');
    const { messages, events, assets } = await transcriptOf(a.client, id);
    for (const include_attachments of [false, true]) {
      const body = { session_id: id, mode: 'local', include_attachments };
      const { text } = await a.client.call('POST', '/v1/bundles/export', { body });
      const { transcript, attachments, replay }: Brought = JSON.parse(text);
      const [told] = transcript.sections;
      expect(told?.messages).toEqual(messages);
      expect(told?.assets).toEqual(assets);
      expect(told?.events).toEqual(events.map(({ data, ...event }) => event));
      const isThere = [attachments, replay.run_record.harn_gateway.pieces].map(({ length }) => length > 0);
      expect(isThere).toEqual([include_attachments, include_attachments]);
    }
  });

  it('brings what was uploaded outside of the Session, and hands it on from there', async () => {
    const { id } = await a.client.session();
    const pixels = Buffer.from([0x89, 0x50, 0xff, 0]);
    const image = await appendImage(a.client, id, pixels);
    const bundle = await exported(a, id);
    expect(assetsIn(bundle).assets).toMatchObject([{ id: image }]);
    expect(await imported(bundle)).toBe(id);
    expect((await transcriptOf(b.client, id)).assets).toEqual((await transcriptOf(a.client, id)).assets);
    const { status, text } = await b.client.call('GET', `/v1/artifacts/${image}/content`);
    expect([status, text]).toEqual([200, pixels.toString()]);
    expect(assetsIn(await exported(b, id))).toEqual(assetsIn(bundle));
    expect(await imported(bundle)).toBe(id);
  });

  it.each([
    ['kind', 'spell'],
    ['id', 'artifact_1/../2'],
  ])('is refused where the %s of an asset is none', async (member, value) => {
    const { id } = await a.client.session();
    const image = await appendImage(a.client, id, Buffer.from('pixels'));
    const { metadata, ...bundle } = JSON.parse(await exported(a, id));
    const { manifest, ...rest } = metadata;
    const { transcript, artifacts } = bundle.replay.run_record;
    for (const row of [transcript.assets[0], artifacts[0]]) row[member] = value;
    const body = Buffer.from(JSON.stringify({ ...bundle, metadata: rest }));
    const answer = await b.client.call('POST', '/v1/bundles/import', { body });
    const param = `$.replay.run_record.transcript.assets[0].${member}`;
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param } } });
    expect((await b.client.call('GET', `/v1/artifacts/${image}`)).status).toBe(404);
  });

  it.each(['local', 'sanitized', 'replay_only'])(
    'describes what was uploaded outside of the Session where its content stayed behind (%s)',
    async (mode) => {
      const { id } = await a.client.session();
      const image = await appendImage(a.client, id, Buffer.from('pixels'));
      const options = { mode, include_attachments: mode === 'replay_only' };
      const { artifacts } = assetsIn(await exported(a, id));
      await imported(await exported(a, id, options));
      const again = assetsIn(await exported(b, id));
      expect(again.artifacts).toEqual([{ ...artifacts[0], data: null }]);
      expect(again.assets).toMatchObject([{ id: image, storage: { size: null } }]);
    },
  );

  it('an upload that two Sessions refer to comes along with each, and each hands on its own', async () => {
    const first = await a.client.session();
    const second = await a.client.session();
    const image = await appendImage(a.client, first.id, Buffer.from('pixels of both'));
    const part = { type: 'image_ref', artifact_id: image, mime_type: 'image/png', visibility: 'public' };
    const message = { role: 'user', parts: [part] };
    await a.client.post(`/v1/sessions/${second.id}/messages`, { message });
    for (const { id } of [first, second]) {
      const bundle = await exported(a, id);
      await imported(bundle);
      expect(assetsIn(await exported(b, id))).toEqual(assetsIn(bundle));
      expect((await transcriptOf(b.client, id)).assets).toMatchObject([{ id: image }]);
    }
    const listed = await b.client.get<{ data: { id: string; workspace_id: string; sha256: string }[] }>(
      '/v1/artifacts?limit=200',
    );
    const own = listed.data.filter(({ sha256 }) => sha256 === sha256Of('pixels of both'));
    expect(new Set(own.map(({ workspace_id }) => workspace_id)).size).toBe(2);
    const { text } = await b.client.call('GET', `/v1/artifacts/${image}/content`);
    expect(text).toBe('pixels of both');
  });

  it('an id of another Workspace in a turn of an import is no way to what that Workspace has', async () => {
    const own = await b.client.session();
    const secret = await appendImage(b.client, own.id, Buffer.from('pixels of somebody else'));
    const { id } = await a.client.session();
    const image = await appendImage(a.client, id, Buffer.from('pixels that are replaced'));
    const { metadata, ...bundle } = JSON.parse(
      (await exported(a, id, { include_attachments: false })).replaceAll(image, secret),
    );
    const { manifest, ...unsigned } = metadata;
    for (const row of bundle.replay.run_record.harn_gateway.events)
      row.sha256 = `sha256:${sha256Of(canonicalJson(row.event))}`;
    await imported(JSON.stringify({ ...bundle, metadata: unsigned }));
    // The turn waits for the next input, and goes to the agent with it.
    const task = await b.client.submit('hello', id);
    await b.client.until(task.id, 'COMPLETED');
    const sent = b.peer('sample').requests.map((request) => request.body);
    expect(sent.at(-1)).toContain('Review this screenshot');
    const base64 = Buffer.from('pixels of somebody else').toString('base64');
    for (const told of [...sent, await exported(b, id)]) expect(told).not.toContain(base64);
  });
});

/** What of a bundle has to do with assets. */
function assetsIn(text: string) {
  const { transcript, attachments, replay }: Brought = JSON.parse(text);
  return { assets: transcript.sections[0]?.assets, attachments, artifacts: replay.run_record.artifacts };
}

/** The transcript that a bundle brings, and what it brings of stored content. */
interface Brought {
  transcript: { sections: Pick<Transcript, 'messages' | 'events' | 'assets'>[] };
  attachments: object[];
  replay: { run_record: { artifacts: object[]; harn_gateway: { pieces: object[] } } };
}

/** What happened up to the export; importing is a fact of the other gateway. */
function kinds({ events }: Transcript): (string | null)[] {
  return events.map(({ event }) => event).filter((event) => event?.includes('import') !== true);
}
