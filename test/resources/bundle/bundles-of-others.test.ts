import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { textsOf, transcriptOf } from '../../harness/transcripts.ts';
import { runCommand } from '../../interop/command-line.ts';
import { bundleText, hasReference, OWN, REFERENCE, readJson } from './unit/bundles.ts';

const RECORD = readJson(new URL('run-record.json', OWN));
const TURNS = ['Why did the canary deploy fail?', 'The canary health check used stale config.'];
const SAMPLES = ['local', 'sanitized', 'replay-only'].map((mode) => `sample-${mode}.bundle.json`);

describe('a bundle that no gateway wrote', () => {
  const limits = { keep_alive_timeout_ms: 60_000, max_bundle_bytes: 4_000_000 };
  const stage = stageOf({ config: { limits } });
  const imported = (bundle: string | JsonObject) =>
    stage.client.call<{ session_id: string; workspace_id: string }>('POST', '/v1/bundles/import', {
      body: Buffer.from(typeof bundle === 'string' ? bundle : JSON.stringify(bundle)),
    });

  it('becomes a Session with the turns of its transcript, once, with which one can go on', async () => {
    const text = await bundleText(RECORD, 'sanitized');
    const { status, body, text: answer } = await imported(text);
    expect(status, answer).toBe(200);
    expect(body).toMatchObject({ created: true, mode: 'sanitized', tasks: [] });
    const session = await stage.client.get<Session>(`/v1/sessions/${body.session_id}`);
    expect(session).toMatchObject({ state: 'IDLE', workspace_id: body.workspace_id });
    expect(session.metadata['run']).toMatchObject({ run_record_id: RECORD['id'], status: RECORD['status'] });
    const { messages } = await transcriptOf(stage.client, session.id);
    const { transcript } = RECORD as { transcript: { messages: { role: string; content: string }[] } };
    expect(messages.map(({ role, content: [block] }) => ({ role, content: block?.['text'] }))).toEqual(
      transcript.messages,
    );
    expect(await imported(text)).toMatchObject({ status: 200, body: { ...body, created: false } });
    const task = await stage.client.submit('echo', session.id);
    expect(await stage.client.until(task.id, 'COMPLETED')).toMatchObject({ session_id: session.id });
  });

  it('keeps blocks that the gateway has no part for, and roles it has no name for', async () => {
    const image = { type: 'image', asset_id: 'asset_1', visibility: 'internal' };
    const text = { type: 'text', text: 'look', visibility: 'private' };
    const messages = [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: [image, text] },
      { role: 'critic', content: null },
    ];
    const record = { ...RECORD, transcript: { messages, events: [], assets: [] } } as JsonObject;
    const { body } = await imported(await bundleText(record, 'local'));
    const told = await transcriptOf(stage.client, body.session_id);
    expect(told.messages.map(({ role, content }) => [role, ...content])).toMatchObject([
      ['system', { type: 'text', text: 'be brief' }],
      [
        'user',
        { type: 'json', value: image, visibility: 'internal' },
        { type: 'text', visibility: 'public' },
      ],
      ['agent', { type: 'json', value: null }],
    ]);
  });

  it('[VER-BND-01] keeps what newer producers say beside the run, through import and export', async () => {
    const snapshot = { worker_id: 'w1', worker_name: 'Reviewer', status: 'suspended', source_path: null };
    const worker_snapshots = [
      { ...snapshot, snapshot_ref: 'snapshots/w1.json', value: { step: 3, notes: ['a'] } },
    ];
    const bundle = JSON.parse(await bundleText(RECORD, 'local')) as JsonObject;
    const given = {
      ...bundle,
      source: { ...(bundle['source'] as JsonObject), status: 'suspended' },
      replay: { ...(bundle['replay'] as JsonObject), worker_snapshots },
      metadata: { ...(bundle['metadata'] as JsonObject), session_liveness: 'suspended' },
    };
    const { status, body, text } = await imported(given);
    expect(status, text).toBe(200);
    const exported = async (mode: string) => {
      const asked = { session_id: body.session_id, mode };
      return (await stage.client.call('POST', '/v1/bundles/export', { body: asked })).body as JsonObject & {
        source: JsonObject;
        replay: JsonObject;
        metadata: JsonObject;
      };
    };
    const again = await exported('local');
    expect(again.source['status']).toBe('suspended');
    expect(again.replay['worker_snapshots']).toEqual(worker_snapshots);
    expect(again.metadata['session_liveness']).toBe('suspended');
    const sanitized = await exported('sanitized');
    expect(sanitized.replay['worker_snapshots']).toMatchObject([{ ...snapshot, snapshot_ref: '[redacted]' }]);
    // Of a bundle that says none of it nothing is made up.
    const plain = await imported(await bundleText({ ...RECORD, id: 'another' } as JsonObject, 'local'));
    const told = await stage.client.call('POST', '/v1/bundles/export', {
      body: { session_id: plain.body.session_id, mode: 'local' },
    });
    expect(told.text).not.toContain('worker_snapshots');
    expect(told.text).not.toContain('session_liveness');
  });

  it('is exported again as a bundle that is valid, and brings the same turns', async () => {
    const { body } = await imported(await bundleText(RECORD, 'local'));
    const asked = { session_id: body.session_id, mode: 'local' };
    const exported = await stage.client.call('POST', '/v1/bundles/export', { body: asked });
    expect(exported.status, exported.text).toBe(200);
    const { transcript, source } = JSON.parse(exported.text) as JsonObject & {
      transcript: { sections: { messages: unknown[] }[] };
    };
    expect(transcript.sections[0]?.messages).toHaveLength(2);
    expect(source).toMatchObject({ run_record_id: body.session_id });
    const finding = await stage.client.call('POST', '/v1/bundles/validate', {
      body: Buffer.from(exported.text),
    });
    expect(finding.body).toMatchObject({ valid: true, signed_by: 'known_key' });
  });

  it('is imported by the command line in the room that another import leaves', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'harn-others-'));
    const path = join(folder, 'run.json');
    writeFileSync(path, await bundleText(RECORD, 'local'));
    const half = String(limits.max_bundle_bytes / 2);
    const headers = {
      authorization: `Bearer ${stage.client.key}`,
      'content-length': half,
      'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
      expect: '100-continue',
    };
    const other = request(`${stage.gateway.url}/v1/bundles/import`, { method: 'POST', headers });
    other.on('error', () => undefined).flushHeaders();
    await once(other, 'continue');
    const access = ['--url', stage.gateway.url, '--key', stage.client.key];
    expect(await runCommand(['session', 'import', path, ...access])).toMatchObject({ code: 0, err: '' });
    other.destroy();
    rmSync(folder, { recursive: true });
  });

  it('without a run record needs a fixture and a transcript', async () => {
    const { replay, ...rest } = JSON.parse(await bundleText(RECORD, 'local')) as { replay: JsonObject };
    const { run_record, ...less } = replay;
    expect(await imported({ ...rest, replay: less })).toMatchObject({ status: 200 });
    const refused = await imported({ ...rest, replay: { ...less, replay_fixture: null } });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: '$.replay' } } });
  });

  it.skipIf(!hasReference).each(SAMPLES)('%s imports and exports, on the command line too', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'harn-others-'));
    const at = (file: string) => join(folder, file);
    writeFileSync(at('run.json'), readFileSync(new URL(name, REFERENCE)));
    const access = ['--url', stage.gateway.url, '--key', stage.client.key];
    const said = await runCommand(['session', 'import', at('run.json'), ...access]);
    expect(said).toMatchObject({ code: 0, err: '' });
    const [id = ''] = said.out.split(' ');
    if (name !== 'sample-replay-only.bundle.json')
      expect(textsOf(await transcriptOf(stage.client, id))).toEqual(TURNS);
    const out = ['--out', at('again.json')];
    expect(await runCommand(['session', 'export', id, ...out, ...access])).toMatchObject({ code: 0 });
    expect(await runCommand(['session', 'validate', at('again.json')])).toMatchObject({ code: 0 });
    rmSync(folder, { recursive: true });
  });

  it.each(['import', 'validate'])('%s of more bytes than the limit is 413', async (what) => {
    const body = Buffer.alloc(limits.max_bundle_bytes + 1, ' ');
    const answer = await stage.client.call('POST', `/v1/bundles/${what}`, { body });
    const details = { max_bytes: limits.max_bundle_bytes };
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large', details } } });
  });
});
