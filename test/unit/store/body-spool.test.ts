import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBodySpool } from '#store/body-spool.ts';

const RIGHTS = 0o777;
let folder: string;
let directory: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harn-body-'));
  directory = join(folder, 'spool');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the spool of bodies', () => {
  it('reads what was written, in any order, and takes it away when it is closed', async () => {
    const spool = await openBodySpool(directory);
    const [file, other] = [await spool.open(), await spool.open()];
    for (const piece of ['one ', 'two ', 'three']) await file.write(Buffer.from(piece));
    await other.write(Buffer.from('another'));
    const body = file.finish();
    expect(body).toMatchObject({
      size: 13,
      sha256: createHash('sha256').update('one two three').digest('hex'),
    });
    expect([body.read(8, 13), body.read(0, 3), body.read(3, 3)].map(String)).toEqual(['three', 'one', '']);
    expect(() => body.read(8, 14)).toThrow('ends at byte 13');
    expect(String(other.finish().read(0, 7))).toBe('another');
    await file.close();
    expect(readdirSync(directory)).toHaveLength(1);
    await other.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is for its owner alone, because bundles may hold secrets', async () => {
    const spool = await openBodySpool(directory);
    const file = await spool.open();
    const [name = ''] = readdirSync(directory);
    expect(statSync(directory).mode & RIGHTS).toBe(0o700);
    expect(statSync(join(directory, name)).mode & RIGHTS).toBe(0o600);
    await file.close();
  });

  it('begins empty: what a killed process left goes', async () => {
    mkdirSync(directory);
    writeFileSync(join(directory, '1.body'), 'left behind');
    await openBodySpool(directory);
    expect(existsSync(join(directory, '1.body'))).toBe(false);
  });

  it('says that a disk takes no more as a fault that passes', async () => {
    writeFileSync(directory, 'no directory');
    const spool = await openBodySpool(directory);
    writeFileSync(directory, 'no directory');
    await expect(spool.open()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
