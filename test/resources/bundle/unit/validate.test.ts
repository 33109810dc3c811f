import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { checkPlan } from '#resources/bundle/document/check-plan.ts';
import { ForeignPlan } from '#resources/bundle/document/foreign-plan.ts';
import { validateBundle } from '#resources/bundle/document/validate-bundle.ts';
import { bundleOf, bundleText, markers, OWN, readJson, refusalOf } from './bundles.ts';

const RECORD = readJson(new URL('run-record.json', OWN));
/** Made here, so that no file of the project looks like one that holds a secret. */
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

const valid = () => bundleOf(RECORD, 'local');
const changed = async (change: JsonObject) => ({ ...(await valid()), ...change });

const members = (count: number) => Array.from({ length: count }, (_, at) => `"m${at}":1`).join(',');

describe('validation of a bundle', () => {
  it.each(['local', 'sanitized', 'replay_only'] as const)(
    '[BUNDLE-EXP-01] takes a %s one that we wrote',
    async (mode) => {
      const bundle = await bundleOf(RECORD, mode);
      expect(bundle).toMatchObject({ _type: 'harn_session_bundle', schema_version: 1 });
      expect(refusalOf(bundle)).toBeUndefined();
    },
  );

  it.each([
    '_type',
    'schema_version',
    'bundle_id',
    'created_at',
    'producer',
    'source',
    'runtime',
    'transcript',
    'tools',
    'permissions',
    'replay',
    'redaction',
    'attachments',
  ])('[BUNDLE-IMP-01] refuses one without %s', async (name) => {
    const { [name]: _, ...rest } = await valid();
    expect(refusalOf(rest)).toBe(`missing required field ${name}`);
  });

  it('[BUNDLE-IMP-02] refuses another _type', async () => {
    expect(refusalOf(await changed({ _type: 'harn_other' }))).toBe('_type must be harn_session_bundle');
  });

  it('[BUNDLE-IMP-03] refuses a future version, and what is no version', async () => {
    expect(refusalOf(await changed({ schema_version: 2 }))).toContain('schema_version 2 is newer');
    expect(refusalOf(await changed({ schema_version: '1' }))).toBe('schema_version must be 1');
  });

  it('[BUNDLE-IMP-04] refuses a secret in a value and in a name, without telling it, unless it is allowed', async () => {
    for (const metadata of [{ note: `use ${TOKEN}` }, { [TOKEN]: 1 }, { deep: [{ er: [TOKEN] }] }]) {
      const bundle = await changed({ metadata });
      expect(refusalOf(bundle)).toMatch(/^unredacted secret marker \(github_token\) at \$\.metadata/);
      expect(refusalOf(bundle)).not.toContain(TOKEN);
      expect(refusalOf(bundle, true)).toBeUndefined();
    }
    const far = [...Array.from({ length: 5_000 }, (_, at) => `text ${at} ${'x'.repeat(80)}`), TOKEN];
    expect(refusalOf(await changed({ metadata: { far } }))).toContain('$.metadata.far[5000];');
    const long = { ['n'.repeat(100_000)]: [TOKEN] };
    expect(refusalOf(await changed({ metadata: long }))?.length).toBeLessThan(1_000);
  });

  it('judges in a fixed order: fields, type, version, secrets, shapes', async () => {
    const faults = { _type: 'x', schema_version: 9, metadata: { note: TOKEN }, permissions: [1] };
    const { attachments, ...rest } = await changed(faults);
    expect(refusalOf(rest)).toContain('missing required field attachments');
    expect(refusalOf(await changed(faults))).toContain('_type');
    expect(refusalOf(await changed({ ...faults, _type: 'harn_session_bundle' }))).toContain(
      'schema_version 9',
    );
    expect(refusalOf(await changed({ metadata: { note: TOKEN }, permissions: [1] }))).toContain(
      'secret marker',
    );
    expect(refusalOf(await changed({ permissions: [1] }))).toContain('$.permissions[0]');
  });

  it('refuses text that was cut, at any place', async () => {
    const text = await bundleText(RECORD, 'local');
    for (let at = 0; at < text.length - 2; at += Math.ceil(text.length / 200))
      expect(refusalOf(text.slice(0, at)), `cut at ${at}`).toBeDefined();
  });

  it.each([
    ['a list', '[]'],
    ['text behind it', '{} {}'],
    ['no JSON', 'run.json'],
    ['nothing', ''],
    ['deep nesting', '['.repeat(100_000)],
    ['a name twice', '{"_type":1,"_type":2}'],
  ])('refuses %s', (_, text) => {
    expect(refusalOf(text)).toBeDefined();
  });

  it('[BUNDLE-IMP-04] finds a secret that is spelled with escapes, or stands beside what is left unread', async () => {
    const escaped = TOKEN.replace('g', '\\u0067');
    const padding = Array.from({ length: 300 }, () => 'x'.repeat(1_000));
    for (const metadata of [{ note: escaped }, { receipts_of_others: { note: TOKEN }, padding }]) {
      const text = JSON.stringify(await changed({ metadata })).replaceAll('\\\\u', '\\u');
      expect(refusalOf(text)).toMatch(/^unredacted secret marker \(github_token\) at \$\.metadata/);
    }
  });

  it.each([
    ['a long list that ends as an object', (rows: string) => `[${rows}}`, 'no JSON'],
    ['a long object that ends as a list', (rows: string) => `{"rows":[${rows}]]`, 'no JSON'],
    ['more members than are held', () => `{${members(100_001)}}`, 'more than 100000 members'],
  ])('refuses %s', async (_, spell, why) => {
    const { metadata, ...rest } = await valid();
    const rows = Array.from({ length: 300 }, () => JSON.stringify('x'.repeat(1_000))).join(',');
    const text = JSON.stringify(rest);
    expect(refusalOf(`${text.slice(0, -1)},"metadata":${spell(rows)}}`)).toContain(why);
  });

  it('refuses a part of more values than can be held, however few bytes they are', async () => {
    const calls = [{ list: Array.from({ length: 1_000_001 }, () => 0) }];
    const { tools } = (await valid()) as { tools: JsonObject };
    expect(refusalOf(await changed({ tools: { ...tools, calls } }))).toContain('more than 1000000 values');
  });

  it('refuses ids that are there twice', async () => {
    const [one] = (await valid())['attachments'] as JsonObject[];
    expect(refusalOf(await changed({ attachments: [one ?? {}, one ?? {}] }))).toContain('is there twice');
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'a\\b', '..'])(
    'refuses an attachment called %s',
    async (id) => {
      expect(refusalOf(await changed({ attachments: [{ id }] }))).toContain('is a path');
    },
  );

  it('refuses references that lead back to where they began', async () => {
    const bundle = await valid();
    const replay = bundle['replay'] as JsonObject;
    const record = replay['run_record'] as JsonObject;
    const withArtifacts = (artifacts: JsonObject[]) => ({
      ...bundle,
      replay: { ...replay, run_record: { ...record, artifacts } },
    });
    const cyclic = [
      { id: 'a', lineage: ['b'] },
      { id: 'b', lineage: ['a'] },
    ];
    expect(refusalOf(withArtifacts(cyclic))).toContain('refers to itself');
    const lineage = Array.from({ length: 30_000 }, (_, at) => `artifact_${at}`);
    const long = [
      { id: 'a', lineage: [...lineage, 'b'] },
      { id: 'b', lineage: ['c', ...lineage] },
    ];
    expect(refusalOf(withArtifacts(long))).toBeUndefined();
    expect(refusalOf(withArtifacts([...long, { id: 'c', lineage: [...lineage, 'a'] }]))).toContain(
      'refers to itself',
    );
    const trace_spans = [{ span_id: 1, parent_span_id: 1 }];
    expect(refusalOf({ ...bundle, replay: { ...replay, trace_spans } })).toContain('refers to itself');
  });

  it('reads a long bundle in pieces, and finds the fault in its last item', async () => {
    const entries = Array.from({ length: 20_000 }, (_, at) => ({
      request_id: `perm_${at}`,
      kind: 'hitl_question',
    }));
    expect(refusalOf(await changed({ permissions: entries }))).toBeUndefined();
    const last = await changed({ permissions: [...entries, 'no object'] as never });
    expect(refusalOf(last)).toContain('$.permissions[20000]');
  });
});

describe('the plan of an import', () => {
  it('is refused where it would restore more events than one import may', async () => {
    const messages = Array.from({ length: 4 }, (_, at) => ({ role: 'user', content: `turn ${at}` }));
    const text = await bundleText({ ...RECORD, transcript: { messages } }, 'local');
    const file = new BundleFile(inMemory(Buffer.from(text)));
    const plan = new ForeignPlan(file, validateBundle(file, { markers }));
    const turn = async () => undefined;
    expect(await checkPlan(plan, new Map(), turn, 5)).toMatchObject({ events: 5 });
    await expect(checkPlan(plan, new Map(), turn, 4)).rejects.toThrow('more than 4 events');
  });
});
