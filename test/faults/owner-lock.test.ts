import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireOwnerLock, ownerAddress } from '#store/owner-lock.ts';

/** Listens at the address as an owner would, in a process of its own that can be killed. */
const LISTENER = `require('node:net').createServer((s) => s.end(process.pid + '\\n'))
  .listen(Buffer.from(process.argv[1], 'hex').toString(), () => console.log('owns'))`;

/** Linux uses the abstract socket, macOS the socket file; the file form runs on Linux as well. */
describe.each(['linux', 'darwin'] as const)('the owner lock as on %s', (platform) => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-lock-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function otherOwner(): Promise<{ pid: number | undefined; kill(): Promise<void> }> {
    const address = Buffer.from(ownerAddress(dir, platform)).toString('hex');
    const child = spawn(process.execPath, ['-e', LISTENER, address], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const kill = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    return { pid: child.pid, kill };
  }

  it('refuses a second owner with the pid of the first until that one releases it', async () => {
    const lock = await acquireOwnerLock(dir, platform);
    await expect(acquireOwnerLock(dir, platform)).rejects.toMatchObject({
      name: 'StoreOpenError',
      reason: 'locked',
      ownerPid: process.pid,
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await lock.release();
    await (await acquireOwnerLock(dir, platform)).release();
  });

  it('names the pid of another process and is free again once that was killed', async () => {
    const other = await otherOwner();
    await expect(acquireOwnerLock(dir, platform)).rejects.toMatchObject({
      reason: 'locked',
      ownerPid: other.pid,
    });
    await other.kill();
    await (await acquireOwnerLock(dir, platform)).release();
  });

  it('knows a directory under any of its names', async () => {
    const alias = `${dir}-alias`;
    symlinkSync(dir, alias);
    const lock = await acquireOwnerLock(dir, platform);
    await expect(acquireOwnerLock(alias, platform)).rejects.toMatchObject({ reason: 'locked' });
    await lock.release();
    rmSync(alias);
  });

  it('gives one of many simultaneous askers the lock', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => acquireOwnerLock(dir, platform)),
    );
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(won).toHaveLength(1);
    await won[0]?.release();
  });

  it('makes a missing directory and refuses one that cannot be made', async () => {
    const missing = join(dir, 'data', 'store');
    await (await acquireOwnerLock(missing, platform)).release();
    expect(existsSync(missing)).toBe(true);
    writeFileSync(join(dir, 'file'), '');
    await expect(acquireOwnerLock(join(dir, 'file', 'store'), platform)).rejects.toMatchObject({
      reason: 'unreadable',
    });
  });
});

it('has an address of its own on each platform, short enough for a socket', () => {
  const addresses = (['linux', 'win32', 'darwin'] as const).map((platform) =>
    ownerAddress('/data', platform),
  );
  expect(addresses[0]).toMatch(/^\0harn-[0-9a-f]{64}$/);
  expect(addresses[1]).toMatch(/^\\\\\.\\pipe\\harn-[0-9a-f]{64}$/);
  expect(addresses[2]).toMatch(/harn-[0-9a-f]{32}\.sock$/);
});
