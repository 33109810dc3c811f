import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { Redactor } from '#redaction/redactor.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { restoreRunRecord } from '#resources/bundle/document/restore-run-record.ts';
import { writeRunRecord } from '#resources/bundle/document/write-run-record.ts';
import { bundleOf, bundleText, compared, hasReference, OWN, REFERENCE, readJson } from './bundles.ts';

const RECORD = readJson(new URL('run-record.json', OWN));
/** The run record of a bundle, which is written in pieces. */
async function restored(bundle: JsonValue): Promise<JsonObject> {
  const file = new BundleFile(inMemory(Buffer.from(JSON.stringify(bundle))));
  let text = '';
  for await (const piece of writeRunRecord(restoreRunRecord(file))) text += piece;
  const record = JSON.parse(text);
  expect(text).toBe(`${JSON.stringify(record, null, 2)}\n`);
  return record;
}
const transcript = RECORD['transcript'] as JsonObject;
const withMetadata = (metadata: JsonObject) => ({ ...RECORD, transcript: { ...transcript, metadata } });

describe('the bundle of a run record', () => {
  it.each(['sanitized', 'replay_only'] as const)(
    '[BUNDLE-EXP-02] [BUNDLE-EXP-05] %s is the fixture',
    async (mode) => {
      const expected = readJson(new URL(`${mode}.bundle.json`, OWN));
      expect(compared(await bundleOf(RECORD, mode))).toEqual(compared(expected));
    },
  );

  it('[BUNDLE-EXP-04] [BUNDLE-IMP-06] keeps the record in mode local, and gives it back; the same bytes come out again', async () => {
    const text = await bundleText(RECORD, 'local');
    const record = await restored(JSON.parse(text));
    expect(record).toEqual(RECORD);
    expect(await bundleText(record, 'local')).toBe(text);
  });

  it('[VER-BND-01] gives back what newer bundles say beside the record, and has it again', async () => {
    const worker_snapshots = [
      { worker_id: 'w', worker_name: 'W', status: 'closed', snapshot_ref: 's', value: 1, more: true },
    ];
    const bundle = JSON.parse(await bundleText(RECORD, 'local')) as Record<string, JsonObject>;
    const given = {
      ...bundle,
      replay: { ...bundle['replay'], worker_snapshots },
      metadata: { ...bundle['metadata'], session_liveness: 'closed' },
    };
    const record = await restored(given as JsonObject);
    expect(record).toEqual({ ...RECORD, worker_snapshots, session_liveness: 'closed' });
    const again = await bundleOf(record, 'local');
    expect((again['replay'] as JsonObject)['worker_snapshots']).toEqual(worker_snapshots);
    expect((again['metadata'] as JsonObject)['session_liveness']).toBe('closed');
  });

  it('[BUNDLE-EXP-02] lists replacements by path; null is never replaced', async () => {
    const { redaction, replay } = await bundleOf({ ...RECORD, password: null }, 'sanitized');
    const paths = ((redaction as JsonObject)['entries'] as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual([...paths].sort());
    expect((replay as { run_record: JsonObject }).run_record['password']).toBeNull();
  });

  it('[BUNDLE-EXP-03] has no local path and no secret that was planted, in values and in names', async () => {
    const secret = `glpat-${'x9Y8'.repeat(5)}`;
    const known = 'correct-horse-battery';
    const redactor = new Redactor();
    redactor.addKnownSecret(known);
    const blob = Buffer.from(`binary \0\xff config: ${secret}`, 'latin1').toString('base64');
    const metadata = { [secret]: 1, note: `with ${secret}`, run_path: '/home/ann/run', said: known, blob };
    const record = {
      ...RECORD,
      metadata: { ...metadata, snapshot_path: '/home/ann/s', deep: { cookie: 'abc' } },
    };
    for (const mode of ['sanitized', 'replay_only'] as const) {
      const text = await bundleText(record, mode, { redactor });
      for (const planted of [secret, blob, known, '/home/ann', 'abc"']) expect(text).not.toContain(planted);
    }
  });

  it('[BUNDLE-EXP-06] brings no payload of an artifact that nobody asked for', async () => {
    expect((await bundleOf(RECORD, 'local', { attachments: false }))['attachments']).toEqual([]);
    expect((await bundleOf(RECORD, 'local'))['attachments']).toHaveLength(1);
  });

  it('[BUNDLE-IMP-07] makes a minimal record from fixture and sections where none is embedded', async () => {
    const bundle = await bundleOf(RECORD, 'local');
    const { run_record, ...replay } = bundle['replay'] as JsonObject;
    const record = await restored({ ...bundle, replay });
    const { id, status, tool_recordings, replay_fixture } = RECORD;
    expect(record).toMatchObject({
      _type: 'run_record',
      id,
      status,
      tool_recordings,
      replay_fixture,
    } as object);
    expect((record['transcript'] as JsonObject)['messages']).toEqual(transcript['messages']);
    expect(compared(await bundleOf(record, 'local'))['transcript']).toEqual(bundle['transcript']);
    const { replay_fixture: _, ...nothing } = replay;
    await expect(restored({ ...bundle, replay: nothing })).rejects.toThrow(
      'no run record, and no replay fixture',
    );
  });
});

describe('the workspace of a bundle', () => {
  const anchor = {
    primary: '/srv/shop',
    additional_roots: [{ path: '/srv/lib' }, { path: '/srv/tmp', mount_mode: 'sandboxed' }],
    anchored_at: '2026-11-21T09:00:00.000Z',
  };

  it('[BUNDLE-ANC-01] is the anchor, with read_only where no mount mode is said', async () => {
    const { workspace } = await bundleOf(withMetadata({ workspace_anchor: anchor }), 'local');
    const [lib, tmp] = anchor.additional_roots;
    const additional_roots = [{ ...lib, mount_mode: 'read_only' }, tmp];
    expect(workspace).toEqual({ ...anchor, additional_roots, policy: 'safe_identity_only' });
  });

  it.each(['sanitized', 'replay_only'] as const)('[BUNDLE-ANC-02] tells no path in mode %s', async (mode) => {
    const bundle = await bundleOf(withMetadata({ workspace_anchor: anchor }), mode);
    expect(JSON.stringify(bundle)).not.toContain('/srv/');
    expect(bundle['workspace']).toMatchObject({ primary: '[redacted]' });
  });

  it('[BUNDLE-ANC-03] is absent without an anchor, whatever the old keys of the metadata say', async () => {
    const old = { workspace_id: 'w', project_root: '/srv/shop', workspace_root: '/srv/shop' };
    expect(await bundleOf({ ...withMetadata({}), metadata: old }, 'local')).not.toHaveProperty('workspace');
  });
});

describe.skipIf(!hasReference)(
  'the run records of the specification (skipped where ../shared is absent)',
  () => {
    it.each(['sample-local', 'sample-sanitized', 'sample-replay-only'])(
      '%s imports and exports',
      async (name) => {
        const bundle = readJson(new URL(`${name}.bundle.json`, REFERENCE));
        const record = await restored(bundle);
        expect(compared(await bundleOf(record, 'local'))).toMatchObject({
          transcript: bundle['transcript'],
          tools: bundle['tools'],
        });
      },
    );

    it('one from before anchors has no workspace', async () => {
      const record = readJson(new URL('sample-run-record.pre-anchor.json', REFERENCE));
      expect(await bundleOf(record, 'sanitized')).not.toHaveProperty('workspace');
    });
  },
);
