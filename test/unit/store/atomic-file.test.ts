import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic, writeFileAtomicSync } from '#store/atomic-file.ts';

const FORMS: [string, (path: string, content: Buffer | string, mode: number) => Promise<void>][] = [
  ['writeFileAtomic', writeFileAtomic],
  ['writeFileAtomicSync', async (path, content, mode) => writeFileAtomicSync(path, content, mode)],
];

describe.each(FORMS)('%s', (_name, write) => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-atomic-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('writes a new file and replaces an old one, leaving nothing beside it', async () => {
    const path = join(dir, 'checkpoint.json');
    await write(path, 'one, the longer text', 0o600);
    await write(path, Buffer.from('two'), 0o600);
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(dir)).toEqual(['checkpoint.json']);
  });

  it('gives the file exactly the mode, also where a wider draft was left by a crash', async () => {
    const path = join(dir, 'key.pem');
    writeFileSync(`${path}.draft`, 'left over', { mode: 0o666 });
    await write(path, 'secret', 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const before = process.umask(0o077);
    try {
      await write(path, 'public', 0o644);
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it('leaves the old content and no draft when the write fails', async () => {
    const path = join(dir, 'target');
    mkdirSync(join(path, 'in the way'), { recursive: true });
    await expect(write(path, 'new', 0o600)).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['target']);
    expect(readdirSync(path)).toEqual(['in the way']);
  });
});
