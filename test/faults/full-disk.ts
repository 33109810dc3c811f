import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestClient, userText } from '../harness/client.ts';
import { GatewayPlace, type GatewayProcess } from './gateway-process.ts';
import { Journal } from './journal.ts';
import { checkAcknowledged, checkLog } from './log-oracle.ts';
import { Report } from './report.ts';

const MIB = 1024 * 1024;
/** What a round leaves on the disk, and what the reopening wants free: the write-ahead log and 2 MiB. */
const DISK_PER_ROUND = 12 * MIB;
const ROOM = 3 * MIB;
const TEXT_BYTES = 24_000;
const MAX_WRITES = 1_000;
const MAX_WAITS = 400;
const WAIT_MS = 50;

/** Whether this process may mount a small disk. */
export const canMount = process.getuid?.() === 0 && process.platform === 'linux';

/**
 * The disk of a gateway fills up under writes: they get 503 and reads go on, `/ready` says so, and once there is room it
 * goes on by itself. Nothing acknowledged before or after is lost.
 */
export async function fullDisk(rounds: number): Promise<Report> {
  const report = new Report();
  const disk = mkdtempSync(join(tmpdir(), 'harn-disk-'));
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_PER_ROUND * (rounds + 1)},mode=0700`,
    'harn-test',
    disk,
  ]);
  if (mounted.status !== 0) throw new Error(`No disk: ${mounted.stderr}`);
  const place = new GatewayPlace({}, disk);
  try {
    const journal = new Journal('disk');
    let gateway = await place.start();
    for (let round = 0; round < rounds; round += 1) await fillAndFree(gateway, disk, journal, report);
    await gateway.kill();
    gateway = await place.start();
    await checkAcknowledged(gateway.client, journal, report);
    await checkLog(gateway.client, report);
    await gateway.stop();
    const { code, stdout } = await place.check();
    report.check(code === 0, () => `log check: ${stdout}`);
  } finally {
    place.remove();
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
  return report;
}

async function fillAndFree(
  gateway: GatewayProcess,
  disk: string,
  journal: Journal,
  report: Report,
): Promise<void> {
  const { client } = gateway;
  const ballast = join(disk, 'ballast');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - ROOM));
  const session = (await client.session()).id;
  const write = () =>
    journal.send(client, `/v1/sessions/${session}/messages`, () => ({
      message: userText(randomBytes(TEXT_BYTES / 2).toString('hex')),
    }));
  const refused = await until503(write, report);
  report.check(refused, () => `${MAX_WRITES} writes and the disk is not full`);
  const ready = await client.call('GET', '/ready');
  report.check(
    ready.status === 503 &&
      /The disk is full: [\d.]+ MiB are free and [\d.]+ MiB are needed/.test(ready.text),
    () => `/ready does not say that the disk is full: ${ready.text}`,
  );
  const told = await client.call('POST', '/v1/sessions', { body: { workspace_id: 'workspace_default' } });
  report.check(
    told.status === 503 && told.text.includes('The disk is full'),
    () => `a write is not told that the disk is full: ${told.text}`,
  );
  report.check((await client.call('GET', '/health')).status === 200, () => '/health fails');
  await checkAcknowledged(client, journal, report);
  rmSync(ballast);
  await untilReady(client);
  report.count('disks filled and freed');
  await journal.repeat(client, journal.unknown, report);
  const after = await write();
  report.check(after?.status === 201, () => `a write afterwards: ${after?.status} ${after?.text}`);
}

async function until503(
  write: () => Promise<{ status: number } | undefined>,
  report: Report,
): Promise<boolean> {
  for (let n = 0; n < MAX_WRITES; n += 1) {
    const answers = await Promise.all([write(), write(), write()]);
    report.count('writes while the disk filled', answers.length);
    for (const answer of answers)
      report.check(answer?.status === 201 || answer?.status === 503, () => `a write got ${answer?.status}`);
    if (answers.some((answer) => answer?.status === 503)) return true;
  }
  return false;
}

async function untilReady(client: TestClient): Promise<void> {
  for (let n = 0; n < MAX_WAITS; n += 1) {
    if ((await client.call('GET', '/ready')).status === 200) return;
    await pause(WAIT_MS);
  }
  throw new Error('The gateway does not get ready although there is room.');
}
