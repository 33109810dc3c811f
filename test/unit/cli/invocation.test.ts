import { afterEach, describe, expect, it, vi } from 'vitest';
import { asTyped, programName } from '#cli/invocation.ts';
import { nearest } from '#cli/nearest.ts';

describe('the name that a reader runs the program by', () => {
  it.each([
    ['/home/me/.npm/_npx/32ae/node_modules/.bin/harn-gateway', {}, 'npx harn-gateway'],
    ['/srv/app/node_modules/.bin/harn-gateway', {}, 'npx harn-gateway'],
    ['/usr/local/bin/harn-gateway', {}, 'harn-gateway'],
    ['/srv/app/dist/src/main.js', { npm_lifecycle_event: 'start' }, 'npx harn-gateway'],
    ['/srv/app/dist/src/main.js', {}, 'node dist/src/main.js'],
    ['/opt/harn/dist/src/main.js', {}, 'node /opt/harn/dist/src/main.js'],
    ['', {}, 'harn-gateway'],
  ])('started as %s with %j it is: %s', (script, env, name) => {
    expect(programName(script, env, '/srv/app')).toBe(name);
  });
});

describe('commands in a text', () => {
  const before = process.argv[1] ?? '';
  afterEach(() => {
    process.argv[1] = before;
    vi.restoreAllMocks();
  });
  const names = new Set(['serve', 'task']);
  const text = 'Start one with "harn-gateway serve"; harn-gateway serves, npx harn-gateway task.';

  it('are spelled as the reader types them, and other words are left alone', () => {
    process.argv[1] = '/srv/app/node_modules/.bin/harn-gateway';
    expect(asTyped('Run "harn-gateway serve". The harn-gateway log is here.', names)).toBe(
      'Run "npx harn-gateway serve". The harn-gateway log is here.',
    );
  });

  it('stay as they are where the program is installed', () => {
    process.argv[1] = '/usr/local/bin/harn-gateway';
    expect(asTyped(text, names)).toBe(text);
  });
});

describe('the nearest word', () => {
  const words = ['session', 'serve', 'status', 'task', 'a2a:sample', 'acp:coder'];
  it.each([
    ['sesion', 'session'],
    ['statsu', 'status'],
    ['tsak', 'task'],
    ['a2a:smaple', 'a2a:sample'],
    ['acp:codex', 'acp:coder'],
    ['zebra', undefined],
    ['', undefined],
  ])('of %s is %s', (typed, word) => {
    expect(nearest(typed, words)[0]).toBe(word);
  });
});
