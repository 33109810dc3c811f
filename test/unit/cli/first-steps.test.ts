import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstSteps } from '../../../src/cli/first-steps.ts';

describe('the first steps that a gateway prints', () => {
  const stepsWith = (data: string) =>
    firstSteps({ url: 'http://127.0.0.1:1', freshKey: undefined, keyFile: undefined, data });

  it.each(['./data', resolve('data')])(
    'name no directory for %s, where commands look by themselves',
    (data) => {
      expect(stepsWith(data)).toContain('npx harn-gateway task "stream 3" --follow\n');
    },
  );

  it('name any other directory, as a word of the shell', () => {
    expect(stepsWith('/tmp/my data')).toContain(`--follow --data '/tmp/my data'\n`);
  });
});
