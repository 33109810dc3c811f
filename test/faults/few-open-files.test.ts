import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFailure } from '#cli/exit-codes.ts';
import { openFilesFault } from '#cli/open-files.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import { PACKAGE_ROOT, PROGRAM } from './child-processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harn-few-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32' || !existsSync(PROGRAM))(
  'a start with very few file descriptors',
  () => {
    // Below 20 or so Node itself does not come up. The bundle has fewer files to open than its modules.
    it.each([
      ...[21, 22].map((limit) => ({ limit, program: PROGRAM })),
      ...[40, 64, 100, 160].map((limit) => ({ limit, program: `${PACKAGE_ROOT}dist/src/main.js` })),
    ])('says which limit to raise, without a stack: $limit', ({ limit, program }) => {
      const serve = 'ulimit -n "$1"; exec "$2" "$3" serve --quiet --port 0 --data "$4"';
      const { status, stderr, stdout } = spawnSync(
        'sh',
        ['-c', serve, 'sh', String(limit), process.execPath, program, join(folder, 'data')],
        { encoding: 'utf8', timeout: 20_000, env: { PATH: process.env['PATH'] ?? '' } },
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^error: [^\n]*RLIMIT_NOFILE[^\n]*ulimit -n 1024[^\n]*\n$/);
      expect(stderr).toContain(`It is ${limit} now.`);
      expect(stderr).not.toMatch(/\n\s+at /);
    });
  },
);

describe('an error of too many open files', () => {
  it.each([
    Object.assign(new Error('spawn node EMFILE'), { code: 'EMFILE' }),
    new Error('IO error: /data/store/000005.ldb: Too many open files'),
    new StoreOpenError('unreadable', '/data/store', 'The store cannot be opened.', {
      cause: Object.assign(new Error('open'), { code: 'EMFILE' }),
    }),
  ])('is told as the limit to raise: %s', (error) => {
    const { exitCode, message } = describeFailure(error);
    expect(exitCode).toBe(1);
    expect(message).toContain('RLIMIT_NOFILE');
  });

  it('is another one where the whole machine has too many', () => {
    expect(openFilesFault(Object.assign(new Error('open'), { code: 'ENFILE' }))).toContain('fs.file-max');
  });

  it('is no other error', () => {
    expect(openFilesFault(new Error('no such file'))).toBeUndefined();
  });
});
