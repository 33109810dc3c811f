import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { load } from './config-harness.ts';

const PAGE = new URL('../../../src/operation/README.md', import.meta.url);
const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);

it('the page on running it shows configurations that are accepted', () => {
  expect(blocks.length).toBeGreaterThan(1);
  for (const yaml of blocks) expect(load({ yaml })).toBeDefined();
});
