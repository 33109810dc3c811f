import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './config-harness.ts';

describe('the YAML of the configuration file', () => {
  it('may be empty or hold comments only', () => {
    expect(load({ yaml: '' }).server.port).toBe(8080);
    expect(load({ yaml: '# nothing\n' }).server.port).toBe(8080);
    expect(load({ yaml: 'retention:\n  interesting_days:\n' }).retention.interesting_days).toBe(365);
    expect(load({ yaml: 'retention:\n  interesting_days: null\n' }).retention.interesting_days).toBeNull();
  });

  it.each([
    ['a name twice in a map', 'server:\n  port: 1\n  port: 2\n', 3, 3, /twice/],
    ['an alias', 'server: &s {port: 1}\nstore: *s\n', 2, 8, /aliases/],
    ['a tag', 'server: !!js/function x\n', 1, 9, /not valid YAML/],
    ['two documents', 'server: {}\n---\nserver: {}\n', 2, 1, /not valid YAML/],
    ['a broken line', 'server: {port: 1\n', 2, 1, /not valid YAML/],
    ['a list at the top', '- server\n', 1, 1, /map of sections/],
  ])('refuses %s and says where', (_name, yaml, line, col, message) => {
    expect(faultsOf({ yaml })[0]).toMatchObject({
      path: '',
      line,
      col,
      message: expect.stringMatching(message),
    });
  });

  it('refuses a bomb of aliases without expanding it', () => {
    const levels = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`);
    expect(faultsOf({ yaml: ['a0: &a0 [x]', ...levels].join('\n') }).length).toBe(60);
  });

  it('refuses a text that is too large', () => {
    expect(faultsOf({ yaml: `# ${'x'.repeat(1_048_576)}` })).toMatchObject([
      { message: 'is larger than 1 MiB' },
    ]);
  });

  it.each([
    ['lists', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['maps', `${'{a: '.repeat(5_000)}${'}'.repeat(5_000)}`],
    ['dashes', `${'- '.repeat(5_000)}x`],
    ['indentation', Array.from({ length: 500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('refuses %s nested too deeply', (_name, yaml) => {
    expect(faultsOf({ yaml })).toMatchObject([{ message: 'is nested too deeply' }]);
  });

  it('reports a repeated name together with the faults of the options', () => {
    const faults = faultsOf({ yaml: 'server:\n  port: 1\n  port: x\ntelemetry: {log_level: loud}\n' });
    expect(faults.map(({ path, line }) => [path, line])).toEqual([
      ['', 3],
      ['server.port', 2],
      ['telemetry.log_level', 4],
    ]);
  });

  it('reports one fault for a text that is no YAML, and judges none of its options', () => {
    expect(faultsOf({ yaml: '}{][\nserver: {port: x}', flags: { host: '0.0.0.0' } })).toHaveLength(1);
  });
});
