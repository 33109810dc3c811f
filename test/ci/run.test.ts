import { readFileSync, statSync } from 'node:fs';
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

const MAX_TOTAL_SECONDS = 25 * 60;

describe('.ci/run', () => {
  it('can be run', () => {
    expect(statSync(SCRIPT).mode & 0o111).toBe(0o111);
  });

  it('has these steps, each with a limit, in 25 minutes together', () => {
    expect(steps.map(({ name }) => name)).toEqual([
      'install',
      'test',
      'types',
      'lint',
      'fresh-start',
      'bench',
      'torture',
      'mcp-conformance',
    ]);
    expect(steps.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(MAX_TOTAL_SECONDS);
  });

  it('runs the test command of the README, word for word', () => {
    const [, command = ''] =
      /^bash -c '(.+)'$/.exec(steps.find(({ name }) => name === 'test')?.command ?? '') ?? [];
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(command).not.toBe('');
    expect(readme.split('\n')).toContain(command);
  });

  it('calls scripts that package.json has', () => {
    const called = steps.flatMap(({ command }) => /npm run (\S+)/.exec(command)?.[1] ?? []);
    expect(called).toEqual(['types', 'lint', 'bench', 'torture']);
    for (const name of called) expect(manifest.scripts).toHaveProperty(name);
  });
});
