import { describe, expect, it } from 'vitest';
import type { ByteSource } from '#protocol/bytes.ts';
import type { JsonObject } from '#protocol/json.ts';
import { Redactor } from '#redaction/redactor.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { exportRunRecord } from '#resources/bundle/document/file-export.ts';
import { PART_SIZES } from '#resources/bundle/document/json-structure.ts';
import { OWN, readJson, refusalOf } from './bundles.ts';

const STAGES = 600;
const TEXT = 'a turn of some length. '.repeat(40);

/** A run of many stages and child runs: each list is too long to be read at once. */
function longRecord(): JsonObject {
  const transcript = (at: number) => ({ messages: [{ role: 'user', content: `${at}: ${TEXT}` }] });
  const stages = Array.from({ length: STAGES }, (_, at) => ({
    id: `stage_${at}`,
    node_id: `node_${at}`,
    transcript: transcript(at),
  }));
  const child_runs = stages.map(({ id }) => ({ id: `run_${id}`, note: TEXT }));
  return { ...readJson(new URL('run-record.json', OWN)), stages, child_runs };
}

/** Counts what is read of a file, and what of it at once. */
function watched(bytes: Buffer) {
  const seen = { total: 0, most: 0 };
  const whole = inMemory(bytes);
  const source: ByteSource = {
    size: whole.size,
    read: (start, end) => {
      seen.total += end - start;
      seen.most = Math.max(seen.most, end - start);
      return whole.read(start, end);
    },
  };
  return { seen, source };
}

const spool = { open: () => Promise.reject(new Error('nothing is replaced here')) };
const asked = {
  mode: 'local',
  attachments: false,
  redactor: new Redactor(),
  version: 'test',
  spool,
} as const;

describe('the export of a run record in a file', () => {
  const bytes = Buffer.from(JSON.stringify(longRecord()));

  it('reads it in parts, no further than what is written so far', async () => {
    const { seen, source } = watched(bytes);
    const pieces = exportRunRecord(new BundleFile(source), asked);
    await pieces.next();
    const before = seen.total;
    let written = 0;
    for await (const piece of pieces) {
      written += piece.length;
      expect(seen.total - before).toBeLessThanOrEqual(written + 8 * PART_SIZES.block);
    }
    expect(seen.most).toBeLessThanOrEqual(PART_SIZES.block);
  });

  it('has a section for every stage and counts the child runs, however many they are', async () => {
    let text = '';
    for await (const piece of exportRunRecord(new BundleFile(inMemory(bytes)), asked)) text += piece;
    const bundle = JSON.parse(text) as { source: JsonObject; transcript: { sections: JsonObject[] } };
    expect(refusalOf(text)).toBeUndefined();
    expect(bundle.source).toMatchObject({ child_run_count: STAGES });
    const sections = bundle.transcript.sections.filter(({ scope }) => scope === 'stage');
    expect(sections.map(({ id }) => id)).toEqual(Array.from({ length: STAGES }, (_, at) => `stage_${at}`));
    expect(sections.at(-1)).toMatchObject({ location: `$.stages[${STAGES - 1}].transcript` });
    expect(sections.at(-1)?.['messages']).toHaveLength(1);
  });
});
