import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stageOf } from '../../../conformance/stage.ts';
import { SAMPLE_RUNS } from '../../../harness/runs.ts';
import { runCommand } from '../../../interop/command-line.ts';

const RECORD = new URL('../../../../fixtures/bundles/run-record.json', import.meta.url).pathname;

describe('session export, import and validate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-cli-bundles-'));
  const at = (name: string) => join(folder, name);
  const config = { limits: { keep_alive_timeout_ms: 60_000 } };
  const [a, b] = [stageOf({ config }), stageOf({ config })];
  const gateway = (stage: typeof a) => ['--url', stage.gateway.url, '--key', stage.client.key];
  afterAll(() => rmSync(folder, { recursive: true }));

  it('work on files without any gateway', async () => {
    const [bundle, back] = [at('run.bundle.json'), at('imported.json')];
    const exported = await runCommand(['session', 'export', RECORD, '--local', '--out', bundle]);
    expect(exported).toMatchObject({ code: 0, err: '' });
    const validated = await runCommand(['session', 'validate', bundle, '--json']);
    expect(JSON.parse(validated.out)).toMatchObject({ valid: true, mode: 'local' });
    expect(await runCommand(['session', 'import', bundle, '--out', back])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(back, 'utf8'))).toEqual(JSON.parse(readFileSync(RECORD, 'utf8')));
    const again = await runCommand(['session', 'export', back, '--local']);
    expect(again.out).toBe(readFileSync(bundle, 'utf8'));
  });

  it('hand a session from one gateway to another', async () => {
    const task = await SAMPLE_RUNS['fail']?.(a.client);
    const bundle = at('session.bundle.json');
    const id = task?.session_id ?? '';
    expect(await runCommand(['session', 'export', id, '--out', bundle, ...gateway(a)])).toMatchObject({
      code: 0,
    });
    const imported = await runCommand(['session', 'import', bundle, ...gateway(b)]);
    expect(imported.out).toMatch(new RegExp(`^${id} restored in workspace_\\w+\n${task?.id} FAILED\n$`));
    const replayed = await runCommand(['replay', task?.id ?? '', ...gateway(b)]);
    expect(replayed).toMatchObject({ code: 0, out: expect.stringContaining('byte_equal') });
  });

  it('say why a bundle is invalid, with exit code 1, and write nothing', async () => {
    writeFileSync(at('bad.json'), '{"_type":"harn_session_bundle"}');
    for (const args of [
      ['validate', at('bad.json')],
      ['import', at('bad.json'), '--out', at('never.json')],
      ['import', at('bad.json'), ...gateway(b)],
    ])
      expect(await runCommand(['session', ...args])).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^error: invalid session bundle: missing required field schema_version/),
      });
    expect(() => readFileSync(at('never.json'))).toThrow('ENOENT');
  });

  it.each([
    [['validate', 'no-such-file.json']],
    [['export', RECORD, '--local', '--replay-only']],
    [['export', RECORD, '--out', '/no/such/folder/run.json']],
  ])('%j is wrong usage', async (args) => {
    expect(await runCommand(['session', ...args])).toMatchObject({ code: 2 });
  });
});
