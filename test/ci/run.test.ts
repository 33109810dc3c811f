import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../.ci/run', import.meta.url));
const script = readFileSync(SCRIPT, 'utf8');
const steps = [...script.matchAll(/(?:^|then )step (\S+) (\d+) (.+?)(?:; fi)?$/gm)].map(
  ([, name, seconds, command]) => ({
    name,
    seconds: Number(seconds),
    command: command ?? '',
  }),
);
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const MAX_TOTAL_SECONDS = 40 * 60;
/** How long after its end a step that does not hear it is killed. */
const KILL_SECONDS = 15;

/** Runs the script with other steps, and another limit for the whole run. */
function runWith(other: string, wholeRun: string): { status: number | null; stdout: string } {
  const root = mkdtempSync(join(tmpdir(), 'harn-ci-'));
  try {
    mkdirSync(join(root, '.ci'));
    const own = script.slice(script.indexOf('\nstep install'), script.indexOf('\n# Where only the end'));
    const changed = script.replace(own, `\n${other}\n`).replace(/^whole_run=\d+$/m, `whole_run=${wholeRun}`);
    writeFileSync(join(root, '.ci', 'run'), changed);
    const { status, stdout } = spawnSync('bash', [join(root, '.ci', 'run')], { encoding: 'utf8' });
    return { status, stdout };
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe('.ci/run', () => {
  it('can be run', () => {
    expect(statSync(SCRIPT).mode & 0o111).toBe(0o111);
  });

  it('has these steps, each with a limit, and ends within 40 minutes', () => {
    expect(steps.map(({ name }) => name)).toEqual([
      'install',
      'nats-server',
      'python-a2a',
      'test',
      'types',
      'lint',
      'fresh-start',
      'bench',
      'torture',
      'browser',
      'node-24',
      'mcp-conformance',
      'deploy',
    ]);
    const wholeRun = Number(/^whole_run=(\d+)$/m.exec(script)?.[1]);
    for (const { seconds } of steps) expect(seconds).toBeLessThan(wholeRun);
    expect(wholeRun + KILL_SECONDS).toBeLessThan(MAX_TOTAL_SECONDS);
  });

  it('ends a step when the time of the whole run is over, and goes on with the next', () => {
    const { status, stdout } = runWith('step slow 600 sleep 600\nstep late 600 sleep 600', '2');
    expect(stdout).toMatch(/^slow .*failed: not done after [12] s$/m);
    expect(stdout).toMatch(/^late .*failed: not done after 1 s$/m);
    expect(status).toBe(1);
  });

  it('ends with what failed steps printed, and with all results', () => {
    const { status, stdout } = runWith('step bad 9 bash -c "echo oh no; exit 3"\nstep good 9 true', '60');
    expect(stdout.slice(stdout.lastIndexOf('=== good'))).toContain('\noh no\n');
    expect(stdout).toMatch(/^bad .*failed: exit code 3\ngood .*passed\nci: 1 passed, 1 failed\n$/m);
    expect(status).toBe(1);
    expect(runWith('step good 9 true', '60').status).toBe(0);
  });

  it('runs the test command of the README, word for word', () => {
    const [, command = ''] =
      /^bash -c '(.+)'$/.exec(steps.find(({ name }) => name === 'test')?.command ?? '') ?? [];
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(command).not.toBe('');
    expect(readme.split('\n')).toContain(command);
  });

  it('calls scripts that package.json has', () => {
    const called = steps.flatMap(
      ({ command }) => /npm run (?:--ignore-scripts )?([\w:]+)/.exec(command)?.[1] ?? [],
    );
    expect(called).toEqual(['types', 'lint', 'bench', 'torture', 'test:browser']);
    for (const name of called) expect(manifest.scripts).toHaveProperty(name);
  });
});
