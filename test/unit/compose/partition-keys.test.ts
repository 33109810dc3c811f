import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensurePartitionKeys } from '#compose/partitioned-node.ts';
import type { Config } from '#config/load.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'harn-partition-keys-'));
});
afterEach(() => rmSync(data, { recursive: true }));

const ensure = () => ensurePartitionKeys({ store: { data, partitions: 3 } } as Config);
const keys = () => join(data, 'keys');
const keysOf = (partition: string) => join(data, 'partitions', partition, 'keys');
const contentsOf = (dir: string) =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));

it('lets all partitions of a node begin with its keys, and each go on with its own', () => {
  ensure();
  const first = contentsOf(keys());
  expect(Object.keys(first)).toContain('registry.json');
  for (const partition of ['0001', '0002']) expect(contentsOf(keysOf(partition))).toEqual(first);
  writeFileSync(join(keysOf('0001'), 'rotated'), 'a key of its own');
  ensure();
  expect(contentsOf(keysOf('0001'))).toEqual({ ...first, rotated: 'a key of its own' });
});

it('leaves no part of the keys where a copy was interrupted, and begins again with the next start', () => {
  ensure();
  rmSync(join(data, 'partitions'), { recursive: true });
  // What ends the copy half way, as a crash or a full disk would.
  const stone = join(keys(), 'zz');
  mkdirSync(stone);
  expect(ensure).toThrow('EISDIR');
  expect(readdirSync(join(data, 'partitions', '0001'))).toEqual(['keys.draft']);
  rmdirSync(stone);
  writeFileSync(join(data, 'partitions', '0001', 'keys.draft', 'half'), 'of a key');
  ensure();
  expect(readdirSync(join(data, 'partitions', '0001'))).toEqual(['keys']);
  expect(contentsOf(keysOf('0001'))).toEqual(contentsOf(keys()));
});
