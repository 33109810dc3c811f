import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FirstStepFacts, firstSteps } from '#cli/first-steps.ts';

const steps = (facts: Partial<FirstStepFacts> = {}) =>
  firstSteps({
    url: 'http://127.0.0.1:1',
    freshKey: undefined,
    keyFile: undefined,
    data: './data',
    defaultRoute: 'a2a:sample',
    console: undefined,
    ...facts,
  });

describe('the first steps that a gateway prints', () => {
  it.each(['./data', resolve('data')])(
    'name no directory for %s, where commands look by themselves',
    (data) => {
      expect(steps({ data })).toContain('harn-gateway task "stream 3" --follow\n');
    },
  );

  it('name any other directory, as a word of the shell', () => {
    expect(steps({ data: '/tmp/my data' })).toContain(`--follow --data '/tmp/my data'\n`);
  });

  it('say where the development key is in a whole sentence, on the first start and on later ones', () => {
    const keyFile = '/tmp/data/dev-api-key';
    const first = steps({ freshKey: 'harn_dev_1', keyFile });
    expect(first).toContain(`\nDevelopment key, shown once: harn_dev_1\nIt is kept in ${keyFile}.\n`);
    const later = steps({ keyFile });
    expect(later).toContain(`\nThe development key is kept in ${keyFile}.\n`);
    expect(later).not.toContain('\nIt is kept');
    expect(later).toContain(`Bearer $(cat ${keyFile})`);
  });

  it('name no development key where there is none, and say which key to set', () => {
    expect(steps()).not.toContain('dev-api-key');
    expect(steps()).toContain('Set HARN_GATEWAY_KEY to one of your keys');
  });

  it.each([
    ['a2a:sample', 'stream 3'],
    ['a2a:shop', 'What can you do?'],
    ['acp:coder', 'What can you do?'],
  ])('propose what %s can do: %s', (defaultRoute, text) => {
    const told = steps({ defaultRoute });
    expect(told).toContain(`it goes to ${defaultRoute}:`);
    expect(told).toContain(`"text":"${text}"`);
    expect(told).toContain(`harn-gateway task "${text}" --follow`);
  });

  it.each(['mcp:files', undefined])('with the default route %s they lead to the tools', (defaultRoute) => {
    const told = steps({ defaultRoute });
    expect(told).toContain('/v1/skills');
    expect(told).not.toContain('stream 3');
    expect(told).not.toContain('"text"');
  });
});
