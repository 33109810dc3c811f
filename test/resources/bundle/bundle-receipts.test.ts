import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import type { TestClient } from '../../harness/client.ts';
import { runCommand } from '../../interop/command-line.ts';

const MODES = ['local', 'sanitized', 'replay_only'] as const;
const FAILED = /^failed: manifest: expected the bundle as it was signed, observed the section metadata/;

async function exported(client: TestClient, session_id: string, mode: string): Promise<string> {
  const { text } = await client.call('POST', '/v1/bundles/export', { body: { session_id, mode } });
  return text;
}

describe('the receipts of a bundle, verified by its file alone', () => {
  const config = { limits: { keep_alive_timeout_ms: 60_000 }, receipts: { acceptance: true } };
  const [a, b] = [stageOf({ config }), stageOf({ config })];
  const folder = mkdtempSync(join(tmpdir(), 'harn-bundle-receipts-'));
  const [file, keys] = [join(folder, 'run.bundle.json'), join(folder, 'jwks.json')];
  let sessionId: string;
  let receiptId: string;
  beforeAll(async () => {
    const task = await a.client.submit('hello');
    await a.client.until(task.id, 'COMPLETED');
    sessionId = task.session_id;
    writeFileSync(keys, (await a.client.call('GET', '/.well-known/jwks.json')).text);
    receiptId = (await a.client.get<Task>(`/v1/tasks/${task.id}`)).receipt_id ?? '';
    const body = Buffer.from(await exported(a.client, sessionId, 'local'));
    expect((await b.client.call('POST', '/v1/bundles/import', { body })).status).toBe(200);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const verify = (text: string, ...options: string[]) => {
    writeFileSync(file, text);
    return runCommand(['receipt', 'verify', file, ...options]);
  };

  it.each(MODES)('[S3-01] are whole in a %s one, by known keys and by its own', async (mode) => {
    const bundle = await exported(a.client, sessionId, mode);
    expect(await verify(bundle, '--jwks', keys)).toMatchObject({
      code: 0,
      out: 'ok: 2 receipts; not checked: head, inclusion\n',
    });
    expect((await verify(bundle)).out).toContain('it is whole, but whoever made it chose them');
    const changed = await verify(bundle.replace('\\"SUCCEEDED\\"', '\\"FAILED\\"'));
    expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('failed: ') });
  });

  it.each(MODES)('[S3-01] are not whole when the last was cut out of a %s one', async (mode) => {
    const { metadata, ...rest } = JSON.parse(await exported(a.client, sessionId, mode));
    const cut = JSON.stringify({
      ...rest,
      metadata: { ...metadata, receipts: metadata.receipts.slice(0, 1) },
    });
    for (const options of [[], ['--jwks', keys]])
      expect(await verify(cut, ...options)).toMatchObject({ code: 1, out: expect.stringMatching(FAILED) });
    expect(await verify(cut, '--no-signatures')).toMatchObject({
      code: 0,
      out: 'ok: 1 receipt; not checked: signatures, manifest, head, inclusion\n',
    });
  });

  it('are not called whole where nobody signed the bundle', async () => {
    const { metadata, ...rest } = JSON.parse(await exported(a.client, sessionId, 'local'));
    const { manifest: _, ...unsigned } = metadata;
    const { code, out } = await verify(JSON.stringify({ ...rest, metadata: unsigned }));
    expect([code, out]).toEqual([0, expect.stringContaining('not checked: manifest, head, inclusion')]);
    expect(out).toContain('no receipt in it was changed');
    expect(out).not.toContain('whole');
  });

  it('[S3-03] are not passed off as those of the gateway that they were imported into', async () => {
    const verified = (stage: typeof a) => stage.client.post(`/v1/receipts/${receiptId}/verify`);
    expect(await verified(a)).toMatchObject({ valid: true, details: { keys: 'own' } });
    expect(await verified(b)).toMatchObject({ valid: true, details: { keys: 'brought' } });
    const gateway = ['--url', b.gateway.url, '--key', b.client.key];
    const said = await runCommand(['receipt', 'verify', receiptId, ...gateway]);
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringContaining('whoever made the bundle chose them'),
    });
  });

  it('are not vouched for as a whole by a key that did not sign the bundle', async () => {
    expect(await verify(await exported(b.client, sessionId, 'local'), '--jwks', keys)).toMatchObject({
      code: 0,
      out: 'ok: 2 receipts; not checked: manifest, head, inclusion\n',
    });
  });
});
