import { afterAll, describe, expect, it } from 'vitest';
import { killChildren } from './child-processes.ts';
import { canMount, fullDisk } from './full-disk.ts';

afterAll(killChildren);

describe('a full disk (D-07)', () => {
  it.each(canMount ? ['a small one'] : [])(
    'refuses writes, serves reads, recovers and loses nothing: %s',
    async () => {
      const { violations, counts } = await fullDisk(2);
      process.stderr.write(`full disk: ${JSON.stringify(counts)}\n`);
      expect(violations).toEqual([]);
      expect(counts['disks filled and freed']).toBe(2);
    },
    60_000,
  );
});
