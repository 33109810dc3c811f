import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { Child, killChildren, type Output, PROGRAM, runProgram } from '../../../faults/child-processes.ts';
import { canMount } from '../../../faults/full-disk.ts';
import { GatewayPlace, KEY, startAgentProcess } from '../../../faults/gateway-process.ts';
import { Journal } from '../../../faults/journal.ts';
import { checkAcknowledged, checkLog } from '../../../faults/log-oracle.ts';
import { MixedLoad } from '../../../faults/mixed-load.ts';
import { Report } from '../../../faults/report.ts';
import { SeededRandom } from '../../../faults/seeded-random.ts';
import { userText } from '../../../harness/client.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_123);
const CLIENTS = 6;
const INCREMENTS = 3;
const REPEATED = 40;
const MIB = 1024 * 1024;

afterAll(killChildren);

const backUp = (url: string, dir: string): Promise<Output> =>
  runProgram('backup', dir, '--url', url, '--key', KEY, '--json');
const restore = (dir: string, data: string): Promise<Output> =>
  runProgram('restore', dir, '--data', data, '--accept-truncation', 'killed');

describe('a backup under load', () => {
  it(`has all that was acknowledged before it, after kill -9 and a restore (seed ${SEED})`, async () => {
    const report = new Report();
    const agent = await startAgentProcess();
    const sections = {
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      limits: { cancel_wait_ms: 500, max_queued_tasks: 100_000 },
    };
    const place = new GatewayPlace(sections);
    const dir = join(place.folder, 'backups');
    const journal = new Journal('backup');
    const random = new SeededRandom(SEED);
    const load = new MixedLoad(journal, random);
    const gateway = await place.start();
    const { client } = gateway;
    const running = load.run(client, CLIENTS);
    let before: Journal['entries'] = [];
    for (let n = 0; n <= INCREMENTS; n += 1) {
      await pause(700);
      before = journal.entries.filter(({ answer }) => answer !== undefined).map((entry) => ({ ...entry }));
      const { code, stderr } = await backUp(client.url, dir);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    await pause(300);
    load.stop();
    await gateway.kill();
    await running;
    expect(readdirSync(dir).map((name) => name.split('-')[1])).toEqual([
      'full',
      ...Array.from({ length: INCREMENTS }, () => 'increment'),
    ]);

    const data = join(place.folder, 'restored');
    expect(await restore(dir, data)).toMatchObject({ code: 0, stderr: '' });
    const next = new GatewayPlace(sections, data);
    const again = await next.start();
    const kept = new Journal('kept');
    kept.entries.push(...before);
    await checkAcknowledged(again.client, kept, report);
    await kept.repeat(again.client, before.slice(-REPEATED), report);
    await checkLog(again.client, report);
    const lost = journal.acknowledged('message_').length - kept.acknowledged('message_').length;
    expect(lost).toBeGreaterThan(0);
    expect((await again.stop()).code).toBe(0);
    const checked = await next.check();
    process.stderr.write(`backup under load, seed ${SEED}: ${JSON.stringify(report.counts)}\n`);
    expect(report.violations).toEqual([]);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 findings') });
    expect(report.counts['acknowledged writes looked up']).toBeGreaterThan(100);
    await agent.end();
    place.remove();
    next.remove();
  }, 240_000);
});

describe('a restore that is killed', () => {
  it('leaves nothing in its place, and the next one begins anew', async () => {
    const place = new GatewayPlace();
    const gateway = await place.start();
    const { client } = gateway;
    for (let n = 0; n < 200; n += 1) await client.session();
    const dir = join(place.folder, 'backups');
    expect(await backUp(client.url, dir)).toMatchObject({ code: 0 });
    const data = join(place.folder, 'restored');
    const drafts = () => readdirSync(place.folder).filter((name) => name.startsWith('restored'));
    let killed = 0;
    for (let n = 0; n < 3; n += 1) {
      const child = new Child([PROGRAM, 'restore', dir, '--data', data, '--accept-truncation', 'killed']);
      await expect.poll(() => drafts().some((name) => name.endsWith(`-${child.process.pid}`))).toBe(true);
      await pause(n * 60);
      const { signal } = await child.end('SIGKILL');
      if (signal === 'SIGKILL' && !existsSync(data)) killed += 1;
      rmSync(data, { recursive: true, force: true });
    }
    expect(killed).toBeGreaterThan(0);
    expect(await restore(dir, data)).toMatchObject({ code: 0, stderr: '' });
    expect(drafts()).toEqual(['restored']);
    await gateway.stop();
    place.remove();
  }, 240_000);
});

describe.skipIf(!canMount)('a disk that fills', () => {
  it('while a backup is written, or restored, is said, and nothing half written is left', async () => {
    const place = new GatewayPlace();
    const gateway = await place.start();
    const { client } = gateway;
    const { id } = await client.session();
    for (let n = 0; n < 60; n += 1) {
      const text = randomBytes(50_000).toString('base64');
      await client.post(`/v1/sessions/${id}/messages`, { message: userText(text) });
    }
    const dir = join(place.folder, 'backups');
    expect(await backUp(client.url, dir)).toMatchObject({ code: 0 });
    const disk = mkdtempSync(join(tmpdir(), 'harn-disk-'));
    const options = ['-t', 'tmpfs', '-o', `size=${2 * MIB},mode=0700`, 'harn-test', disk];
    expect(spawnSync('mount', options).status).toBe(0);
    try {
      const small = join(disk, 'backups');
      mkdirSync(small);
      const written = await backUp(client.url, small);
      expect(written).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('its disk is full. Nothing of this backup'),
      });
      expect(readdirSync(small)).toEqual([]);
      const restored = await restore(dir, join(disk, 'data'));
      expect(restored).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/The disk of .* is full. Nothing was made/),
      });
      expect(restored.stderr).not.toContain('at ');
      expect(readdirSync(disk)).toEqual(['backups']);
      const { TMPDIR } = process.env;
      process.env['TMPDIR'] = disk;
      const checked = await runProgram('log', 'check', '--data', dir);
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
      expect(checked).toMatchObject({ code: 1, stderr: expect.stringMatching(/The disk of .* is full/) });
      expect(readdirSync(disk)).toEqual(['backups']);
    } finally {
      spawnSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    }
    expect((await restore(dir, join(place.folder, 'restored'))).code).toBe(0);
    expect(existsSync(join(place.folder, 'restored', 'checkpoint.json'))).toBe(true);
    expect((await gateway.stop()).code).toBe(0);
    place.remove();
  }, 240_000);
});
