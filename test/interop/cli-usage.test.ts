import { describe, expect, it } from 'vitest';
import { type CommandNode, commandTree, everyCommand } from '#cli/command-tree.ts';
import { program } from '#cli/program.ts';
import { runCommand } from './command-line.ts';

/** Contract section 7, copied by hand. */
const CONTRACT = [
  'serve',
  'check',
  'status',
  'task',
  'task list',
  'task get',
  'task cancel',
  'agents list',
  'artifact get',
  'session list',
  'session export',
  'trust export',
  'session import',
  'session validate',
  'policy explain',
  'permission list',
  'connector list',
  'persona list',
  'keys list',
  'keys rotate',
  'keys revoke',
  'api-keys create',
  'api-keys list',
  'api-keys rotate',
  'api-keys revoke',
  'receipt verify',
  'replay',
  'log check',
  'log accept-truncation',
  'log accept-restore',
  'log move',
  'backup',
  'restore',
  'acp',
  'mcp',
  'openapi',
  'audit export',
  'card show',
  'card verify',
];
/** Ours besides. */
const MORE = [
  'agents get',
  'receipt collect',
  'artifact list',
  'session get',
  'session close',
  'session transcript',
  'session compact',
  'permission respond',
  'permission policy',
  'permission rules list',
  'permission rules add',
  'permission rules revoke',
  'permission check',
  'permission history',
  'connector get',
  'persona get',
  'completion',
  'vault key',
  'vault create',
  'vault put',
  'vault remove',
  'vault list',
];
/** What they print is a document, a protocol or a script by itself. */
const NO_JSON_FLAG = [
  'serve',
  'acp',
  'mcp',
  'openapi',
  'audit export',
  'card show',
  'completion',
  'session transcript',
  'session export',
  'trust export',
  'receipt collect',
  // A key, or nothing but an exit code.
  'vault key',
  'vault create',
  'vault put',
  'vault remove',
];

const all: CommandNode[] = [...everyCommand(commandTree(program()))];
/** What runs by itself: `task` does, and has commands below it too. */
const leaves = all.filter(({ subcommands, args }) => subcommands.length === 0 || args.length > 0);
const groups = all.filter(({ subcommands }) => subcommands.length > 0);
const wordsOf = ({ path }: CommandNode) => path.split(' ');
/** Flags without which a command says nothing else. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'api-keys create': ['--id', 'x', '--actor', 'y'],
  'halt create': ['--reason', 'x'],
  'log move': ['--to', 'jetstream'],
  'policy explain': ['--actor', 'x', '--operation', 'getTask'],
  'permission rules add': ['--class', 'write', '--action', 'x'],
  'permission check': [
    '--session',
    'x',
    '--actor',
    'y',
    '--class',
    'write',
    '--action',
    'x',
    '--target',
    'y',
  ],
};
const needed = ({ path }: CommandNode) => NEEDED[path] ?? [];

describe('the command line', () => {
  it('has every command of the contract', () => {
    const known = leaves.map(({ path }) => path);
    expect(CONTRACT.filter((path) => !known.includes(path))).toEqual([]);
    expect(MORE.filter((path) => !known.includes(path))).toEqual([]);
  });

  it.each(leaves.map((leaf) => [leaf.path, leaf] as const))(
    '%s has help with a description, an example and its exit codes',
    async (path, leaf) => {
      const { code, out } = await runCommand([...wordsOf(leaf), '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: harn-gateway ${path}`);
      expect(leaf.description).toMatch(/^[A-Z].*\.$/);
      const examples = out.split('\n').filter((line) => line.trim().startsWith(`harn-gateway ${path}`));
      expect(examples.length).toBeGreaterThan(0);
      expect(out).toMatch(/Exit codes:\n {2}0 {2}fine\n {2}1 {2}.*\n {2}2 {2}/);
    },
  );

  it.each(groups.map(({ path }) => path))('"%s" shows examples of what is below it', async (path) => {
    const { code, out } = await runCommand([...path.split(' ').filter(Boolean), '--help']);
    expect(code).toBe(0);
    const [, examples = ''] = out.split('\nExamples:\n');
    const lines = examples.split('\n').filter((line) => line.startsWith(`  harn-gateway ${path}`.trimEnd()));
    expect(lines.length).toBeGreaterThan(0);
    const known = leaves.map((leaf) => leaf.path);
    for (const line of lines)
      expect(
        known.some((leaf) => `${line.trim()} `.startsWith(`harn-gateway ${leaf} `)),
        line,
      ).toBe(true);
  });

  it('prints JSON wherever it prints something for people', () => {
    const without = leaves.filter(({ flags }) => !flags.some(({ names }) => names.includes('--json')));
    expect(without.map(({ path }) => path).filter((path) => !NO_JSON_FLAG.includes(path))).toEqual([]);
  });

  it.each(leaves.map((leaf) => [leaf.path, leaf] as const))(
    '%s refuses a flag it does not know with 2, and names it',
    async (_path, leaf) => {
      const { code, out, err } = await runCommand([...wordsOf(leaf), ...needed(leaf), '--no-such-flag']);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('--no-such-flag');
    },
  );

  const valued = leaves.flatMap((leaf) =>
    leaf.flags
      .filter(({ value }) => value !== 'none')
      .map(({ names }) => [leaf.path, names[0] ?? '', leaf] as const),
  );
  it.each(valued)('%s refuses %s without its value with 2, and names it', async (_path, flag, leaf) => {
    const { code, out, err } = await runCommand([...wordsOf(leaf), flag]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(flag);
  });

  it.each(leaves.filter(({ required }) => required.length > 0).map((leaf) => [leaf.path, leaf] as const))(
    '%s refuses to run without its argument with 2, and names it',
    async (_path, leaf) => {
      const { code, out, err } = await runCommand([...wordsOf(leaf), ...needed(leaf)]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(`'${leaf.required[0]}'`);
    },
  );

  it.each([
    [['session', 'list', '--limit', '0'], '--limit'],
    [['session', 'compact', 'session_1', '--keep-last', 'all'], '--keep-last'],
    [['session', 'compact', 'session_1', '--summary', 'a', '--summary-file', 'b'], '--summary-file'],
    [['session', 'compact', 'session_1', '--summary-file', '/no/such/file'], '--summary-file'],
    [['replay', 'task_1', '--mode', 'sideways'], '--mode'],
    [['replay', 'task_1', '--override', '/no/such/file'], '--override'],
    [['receipt', 'verify', 'package.json'], '--jwks'],
    [['receipt', 'verify', 'nope.json'], 'There is no file nope.json'],
    [['api-keys', 'create', '--id', 'NO', '--actor', 'a'], '--id'],
    [['api-keys', 'rotate', 'key', '--overlap', 'soon'], '--overlap'],
    [['serve', '--port', 'http'], '--port'],
    [['completion', 'powershell'], 'shell'],
    [['nonsense'], 'nonsense'],
    [['task', 'hello', '--', 'list'], 'Give one text'],
    [['task', 'list', '--status', 'BROKEN'], '--status'],
  ])('%j ends with 2 and names what is wrong', async (args, named) => {
    const { code, out, err } = await runCommand(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(named);
  });

  it.each([
    [['sesion', 'list'], 'Did you mean session?', 'Commands: serve, check, '],
    [['tasks'], 'Did you mean task?', 'Commands: serve, check, '],
    [['session', 'lits'], 'Did you mean list?', 'Commands: list, get, show, close, '],
    [['agents', 'list', '--jsn'], 'Did you mean --json?', 'Options: --limit, --json, '],
    [
      ['task', 'hello', '--folow'],
      'Did you mean --follow?',
      'Options: --route, --session, --task, --follow, ',
    ],
  ])('%j gets the nearest proposed and the list', async (args, nearest, list) => {
    const { code, out, err } = await runCommand(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(nearest);
    expect(err).toContain(list);
  });

  it('check --json lists the faults of a configuration with their paths', async () => {
    const faulty = await runCommand(['check', '--json', '--config', '/no/such/file.yaml']);
    expect(faulty.code).toBe(2);
    const { ok, faults } = JSON.parse(faulty.out);
    expect([ok, faults.length > 0]).toEqual([false, true]);
    const fine = await runCommand(['check', '--json']);
    const default_route = { route: 'a2a:sample', reason: expect.stringContaining('sample agent') };
    expect([fine.code, JSON.parse(fine.out)]).toMatchObject([0, { ok: true, default_route }]);
    expect((await runCommand(['check'])).out).toContain('Tasks that name no route run on a2a:sample (');
  });
});
