import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cycleFindings } from '../architecture/cycles.ts';
import { layerFindings } from '../architecture/layers.ts';
import { foldersWithoutPage, missingCommands } from '../architecture/names.ts';
import { roomFindings } from '../architecture/rooms.ts';
import { PACKAGE_ROOT, readSourceTree } from '../architecture/source-tree.ts';
import { LINE, LIST, NOTE } from './planted-room.ts';

describe('a new room is a folder and a line', () => {
  const copy = mkdtempSync(join(tmpdir(), 'harn-planted-room-'));
  const write = (path: string, source: string) => {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), source);
  };
  beforeAll(() => {
    for (const path of ['src', 'bridges', 'mappings', 'package.json', 'tsconfig.json'])
      cpSync(join(PACKAGE_ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
    for (const [path, source] of Object.entries(NOTE)) write(path, source);
    write(LIST, readFileSync(join(PACKAGE_ROOT, LIST), 'utf8') + LINE);
    write(
      'tsconfig.room.json',
      JSON.stringify({
        extends: './tsconfig.json',
        compilerOptions: { noEmit: true },
        include: ['src/resources/load-rooms.ts', 'src/resources/load-examples.ts'],
      }),
    );
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  /** What the compiler says of the tables, the core and all that the rooms load. */
  const types = () =>
    new Promise<string>((resolve) => {
      const compiler = join(copy, 'node_modules/typescript/bin/tsc');
      execFile(
        process.execPath,
        [compiler, '-p', 'tsconfig.room.json'],
        { cwd: copy },
        (error, stdout, stderr) =>
          resolve(error === null ? 'compiles' : `${stdout}${stderr}` || error.message),
      );
    });

  it('compiles with nothing else', { timeout: 240_000 }, async () => {
    expect(await types()).toBe('compiles');
  });

  it('does not compile without its handler', { timeout: 240_000 }, async () => {
    const commands = 'src/resources/note/commands.ts';
    const whole = NOTE[commands] ?? '';
    write(commands, whole.replace(", getNote: getOf('note', 'note_id')", ''));
    expect(await types()).toMatch(/load-rooms\.ts.*getNote/s);
    write(commands, whole);
  });

  it('keeps every rule of the architecture', () => {
    const tree = new Map([...readSourceTree(), ...Object.entries(NOTE)]);
    tree.set(LIST, (tree.get(LIST) ?? '') + LINE);
    const findings = [layerFindings, cycleFindings, roomFindings, foldersWithoutPage].flatMap((rule) =>
      rule(tree),
    );
    expect(findings).toEqual([]);
    expect(missingCommands(tree, ['createNote'])).toEqual([]);
  });
});
