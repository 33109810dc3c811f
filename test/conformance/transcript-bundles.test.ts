import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../src/protocol/resources/transcript.ts';
import { append, appendImage, textsOf, transcriptOf } from '../harness/transcripts.ts';
import { stageOf } from './stage.ts';

describe('a transcript handed from one gateway to another', () => {
  // A connection of a client lives while the other gateway works.
  const config = {
    receipts: { issuer: 'harness_shared' },
    limits: { keep_alive_timeout_ms: 60_000 },
  };
  const a = stageOf({ config });
  const b = stageOf({ config });

  async function moved(id: string): Promise<string> {
    const body = { session_id: id, mode: 'local', include_attachments: true };
    const bundle = await a.client.call('POST', '/v1/bundles/export', { body });
    expect(bundle.status, bundle.text).toBe(200);
    const answer = await b.client.call<{ session_id: string }>('POST', '/v1/bundles/import', {
      body: Buffer.from(bundle.text),
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.session_id;
  }

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
});

/** The transcript that a bundle brings, and what it brings of stored content. */
interface Brought {
  transcript: { sections: Pick<Transcript, 'messages' | 'events' | 'assets'>[] };
  attachments: object[];
  replay: { run_record: { harn_gateway: { pieces: object[] } } };
}

/** What happened up to the export; importing is a fact of the other gateway. */
function kinds({ events }: Transcript): (string | null)[] {
  return events.map(({ event }) => event).filter((event) => event?.includes('import') !== true);
}
