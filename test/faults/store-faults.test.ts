import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { recordKey, recordValue } from './store-child.ts';

const CHILD = new URL('../../dist/test/faults/store-child.js', import.meta.url).pathname;
const ACKS_BEHIND_FENCE = 300;
/** One that is never full before the fault, and one that leaves room on a small disk. */
const LARGE_BUFFER = 8 * 1024 * 1024;
const SMALL_BUFFER = 256 * 1024;
/** The write-ahead log of a new database. */
const FIRST_LOG = '000003.log';

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

let dir: string;
let path: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'harn-faults-')));
  path = join(dir, 'store');
});
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(dir, { recursive: true, force: true });
});

interface WriterReport {
  acked: number[];
  failed: string[];
  /** How often the store was reopened, and how often it could not be yet. */
  reopened: number;
  full: number;
  strange: string[];
}

/** Follows a writing child to its end; `onLine` may act on the world at any line. */
async function follow(
  child: ChildProcess,
  onLine: (line: string, report: WriterReport) => void,
): Promise<WriterReport> {
  const report: WriterReport = { acked: [], failed: [], reopened: 0, full: 0, strange: [] };
  if (child.stdout === null) throw new Error('the child has no stdout');
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, n, code] = line.split(' ');
    if (word === 'ack') report.acked.push(Number(n));
    else if (word === 'failed') report.failed.push(String(code));
    else if (word === 'reopened') report.reopened += 1;
    else if (word === 'full') report.full += 1;
    else report.strange.push(line);
    onLine(line, report);
  }
  await ended;
  return report;
}

/** One thread for all writes: strace counts calls per thread. */
const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };

function start([command = '', ...args]: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  children.add(child);
  return child;
}

function writer(options: { first?: number; bufferBytes?: number } = {}): string[] {
  const { first = 0, bufferBytes = LARGE_BUFFER } = options;
  return [process.execPath, CHILD, 'write', path, ...[first, ACKS_BEHIND_FENCE, bufferBytes].map(String)];
}

/** Numbers of acknowledged records that a new process does not find as they were written. */
async function lostOf(acked: readonly number[]): Promise<number[]> {
  const store = await openLevelStore({ path });
  const lost = acked.filter((n) => store.get(recordKey(n))?.equals(recordValue(n)) !== true);
  for await (const page of store.entries({ gte: 'k/', lt: 'k0' }))
    for (const [key, value] of page) expect(value.equals(recordValue(Number(key.slice(2)))), key).toBe(true);
  await store.close();
  return lost;
}

async function expectNothingLost(report: WriterReport): Promise<void> {
  expect(report.strange).toEqual([]);
  expect(report.failed.length).toBeGreaterThan(0);
  expect(new Set(report.failed)).toEqual(new Set(['service_unavailable']));
  expect(report.reopened).toBe(report.failed.length);
  expect(report.acked.length).toBeGreaterThan(ACKS_BEHIND_FENCE);
  expect(await lostOf(report.acked)).toEqual([]);
}

describe('a write that fails (D-07, D-08, D-09)', () => {
  it('loses no acknowledged write when files may grow no further', async () => {
    const child = start(['sh', '-c', 'ulimit -f 1024; exec "$@"', 'sh', ...writer()]);
    await expectNothingLost(await follow(child, () => undefined));
  });

  const injections = works('strace', '-o', '/dev/null', 'true')
    ? [
        ['one ENOSPC while the log is written', 'write:error=ENOSPC:when=50'],
        ['one EIO of the fsync', 'fdatasync:error=EIO:when=50'],
      ]
    : [];
  it.each(injections)('loses no acknowledged write after %s', async (_name, injection) => {
    const trace = ['-f', '-o', '/dev/null', '-P', join(path, FIRST_LOG), '-e', `inject=${injection}`];
    const report = await follow(start(['strace', ...trace, ...writer()]), () => undefined);
    expect(report.failed).toHaveLength(1);
    await expectNothingLost(report);
  });

  const smallDisks = process.getuid?.() === 0 && process.platform === 'linux' ? ['a full disk'] : [];
  it.each(smallDisks)(
    'reads on during %s, reopens by itself once there is room, and loses nothing',
    async () => {
      mkdirSync(path);
      expect(works('mount', '-t', 'tmpfs', '-o', 'size=6m', 'harn-test', path)).toBe(true);
      try {
        const ballast = join(path, 'ballast');
        writeFileSync(ballast, Buffer.alloc(3 * 1024 * 1024));
        const report = await follow(start(writer({ bufferBytes: SMALL_BUFFER })), (_line, { full }) => {
          if (full === 3) rmSync(ballast, { force: true });
        });
        expect(report.full).toBeGreaterThanOrEqual(3);
        await expectNothingLost(report);
      } finally {
        expect(works('umount', path)).toBe(true);
      }
    },
  );
});

describe('SIGKILL of the owner (D-01)', () => {
  it('loses no acknowledged write and leaves no stale lock, five times in a row', async () => {
    const acked: number[] = [];
    for (let cycle = 0; cycle < 5; cycle += 1) {
      const child = start(writer({ first: cycle * 10_000 }));
      const report = await follow(child, (_line, soFar) => {
        if (soFar.acked.length === 40 + cycle * 7) child.kill('SIGKILL');
      });
      expect(report.strange).toEqual([]);
      acked.push(...report.acked);
      expect(await lostOf(acked)).toEqual([]);
    }
    expect(acked.length).toBeGreaterThanOrEqual(5 * 40);
  });
});

describe('a second owner (D-13)', () => {
  async function openElsewhere(): Promise<unknown> {
    const child = start([process.execPath, CHILD, 'open', path]);
    const output: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => output.push(text));
    await once(child, 'close');
    return JSON.parse(output.join(''));
  }

  it('is refused with the pid of the first, also after the live directory was copied and LOCK deleted', async () => {
    const refusal = { opened: false, reason: 'locked', ownerPid: process.pid };
    const store = await openLevelStore({ path });
    expect(await openElsewhere()).toEqual(refusal);
    cpSync(path, join(dir, 'copy'), { recursive: true });
    expect(await openElsewhere()).toEqual(refusal);
    rmSync(join(path, 'LOCK'));
    expect(await openElsewhere()).toEqual(refusal);
    await store.reopen();
    expect(await openElsewhere()).toEqual(refusal);
    await store.write([{ type: 'put', key: recordKey(1), value: recordValue(1) }]);
    await store.close();
    expect(await lostOf([1])).toEqual([]);
    expect(await openElsewhere()).toEqual({ opened: true });
  });
});
