import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandTree, everyCommand } from '#cli/command-tree.ts';
import { program } from '#cli/program.ts';
import { REPLAY_MODES } from '#resources/replay/schema.ts';
import { runCommand } from './command-line.ts';

const nodes = [...everyCommand(commandTree(program()))];
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
const missing = (shell: string) => (has(shell) ? '' : ` (skipped: ${shell} is not installed here)`);

describe('shell completion', () => {
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'harn-completion-'));
    for (const shell of ['bash', 'zsh', 'fish'])
      writeFileSync(join(dir, shell), (await runCommand(['completion', shell])).out);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** What bash offers for each line; the last word is the one that is being typed. */
  function offered(lines: readonly string[][]): string[][] {
    const asks = lines.map((words) => {
      const spelled = ['harn-gateway', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${spelled}); COMP_CWORD=${words.length}; _harn_gateway; echo "\${COMPREPLY[*]}"`;
    });
    const script = [`source '${join(dir, 'bash')}'`, ...asks].join('\n');
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
      encoding: 'utf8',
      cwd: dir,
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ').filter((word) => word !== ''));
  }

  it('bash offers the commands and flags of every place in the tree', () => {
    const lines = nodes.map(({ path }) => [...path.split(' ').filter((word) => word !== ''), '-']);
    const bare = nodes.filter(({ subcommands }) => subcommands.length > 0);
    const flags = nodes.map((node) => node.flags.flatMap(({ names }) => names).sort());
    expect(offered(lines).map((words) => words.sort())).toEqual(flags);
    const names = bare.map(({ subcommands }) => subcommands.map(({ path }) => path.split(' ').at(-1) ?? ''));
    const below = offered(bare.map(({ path }) => [...path.split(' ').filter((word) => word !== ''), '']));
    expect(below.map((words) => words.filter((word) => !word.startsWith('-')))).toEqual(names);
  });

  it('bash completes a word, the words of a flag, and files where a file is wanted', () => {
    expect(
      offered([
        ['sess'],
        ['--json', 'session', 'li'],
        ['replay', 'task_1', '--mode', ''],
        ['serve', '--config', 'ba'],
        ['session', 'list', '--workspace', ''],
        ['session', 'list', '--workspace', 'list', '--lim'],
      ]),
    ).toEqual([['session'], ['list'], [...REPLAY_MODES], ['bash'], [], ['--limit']]);
  });

  it('bash keeps quiet about what follows a flag that takes any text', () => {
    expect(offered([['task', 'hello', '--route', '']])).toEqual([[]]);
  });

  it.each(['zsh', 'fish'])('the %s script names every command and flag', async (shell) => {
    const { out } = await runCommand(['completion', shell]);
    for (const { path, flags } of nodes) {
      expect(out).toContain(`'${path}'`);
      for (const name of flags.flatMap(({ names }) => names)) expect(out).toContain(name.replace(/^--?/, ''));
    }
  });

  it.skipIf(!has('zsh'))(`zsh reads its script${missing('zsh')}`, () => {
    const checked = spawnSync('zsh', ['-n', join(dir, 'zsh')], { encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  it.skipIf(!has('fish'))(`fish completes${missing('fish')}`, () => {
    const ask = `source ${join(dir, 'fish')}; complete -C "harn-gateway session li"`;
    expect(spawnSync('fish', ['-c', ask], { encoding: 'utf8' }).stdout).toContain('list');
  });
});
