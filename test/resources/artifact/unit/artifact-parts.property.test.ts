import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rehearsal } from '#eventlog/rehearsal.ts';
import { sha256Hex } from '#json/canonical.ts';
import type { DraftPart } from '#protocol-client.ts';
import { contentOfParts } from '#resources/artifact/content.ts';
import { layParts, liftParts, partReader } from '#resources/artifact/parts.ts';
import type { CleanArtifactState } from '#resources/artifact/state.ts';
import { keepBytes } from '#resources/artifact/stored-bytes.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { layoutKey, partKey } from '#store/keys.ts';

const { project } = await loadRooms();

const ID = 'artifact_1';
const metadata = fc.option(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }), { nil: undefined });
/** Halves of characters too: agents cut texts anywhere. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud83d', '\ude00', 'a\ud83d', '', '😀'),
);
const textPart = fc.record(
  { type: fc.constant('text'), metadata, text, visibility: fc.constant('public') },
  { requiredKeys: ['type', 'text'] },
);
const jsonPart = fc.record({ type: fc.constant('json'), value: fc.jsonValue(), metadata });
/** Also such as no encoder writes. */
const base64 = fc.oneof(fc.base64String(), fc.constantFrom('QR==', 'QQ', 'Q\nQ==', '-_-_', ''));
const bytesPart = fc.record({ type: fc.constant('bytes'), base64, mime_type: fc.constant('image/png') });
const parts = fc.oneof(
  fc.array(textPart, { minLength: 1, maxLength: 5 }),
  fc.array(fc.oneof(textPart, jsonPart, bytesPart), { minLength: 1, maxLength: 4 }),
) as fc.Arbitrary<DraftPart[]>;

/** An artifact that has ended, of these parts, behind `first` that it replaced. */
function ended(tx: Rehearsal, sent: readonly DraftPart[], first: number) {
  const content = contentOfParts(sent, null);
  const sha256 = sha256Hex(content.bytes);
  const range = { first_piece: first, pieces: first + sent.length };
  layParts(tx, ID, { parts: sent, isDocument: content.isDocument });
  keepBytes(tx, { scope: 'workspace_1', sha256 }, content.bytes);
  const internal = { ...range, store: 'parts', closed: true, size: content.bytes.length, name: null };
  const resource = { id: ID, workspace_id: 'workspace_1', sha256, mime_type: content.mimeType };
  return { resource, internal } as unknown as CleanArtifactState;
}

describe('the parts of an artifact that has ended', () => {
  it('come out of its content as they went in, each by its number, and go back when it goes on', () => {
    fc.assert(
      fc.property(parts, fc.nat(3), (sent, first) => {
        const tx = new Rehearsal(project);
        const read = (key: string) => tx.recorded(key);
        const state = ended(tx, sent, first);
        const rows = sent.map((part) => JSON.stringify(part));
        const told = () => sent.map((_, at) => partReader(state, read)(first + at)?.toString());
        expect(told()).toEqual(rows);
        liftParts(tx, state);
        expect(sent.map((_, at) => read(partKey(ID, first + at))?.toString())).toEqual(rows);
        expect(read(layoutKey(ID))).toBeUndefined();
      }),
    );
  });

  it('take no room of their own where they are whole bytes of it', () => {
    const tx = new Rehearsal(project);
    const long = { type: 'text', text: 'x'.repeat(300_000), visibility: 'public' } as const;
    ended(tx, [long, long], 0);
    expect(tx.recorded(layoutKey(ID))?.length).toBeLessThan(200);
  });
});
