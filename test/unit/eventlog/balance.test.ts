import { describe, expect, it } from 'vitest';
import { moveFrom, type SeenNode } from '#eventlog/jetstream/balance.ts';

const ALL = ['0000', '0001', '0002', '0003'];
const node = (url: string, partitions: readonly string[] = ALL): SeenNode => ({ url, partitions });
const owners = (urls: readonly string[]) => new Map(urls.map((url, at) => [ALL[at] ?? '', url]));

describe('a node gives away a partition', () => {
  it.each([
    ['all are its own and another node is there', ['a', 'a', 'a', 'a'], { partition: '0003', to: 'b' }],
    ['it has two more than another one', ['a', 'b', 'a', 'a'], { partition: '0003', to: 'b' }],
  ])('where %s', (_why, urls, move) => {
    expect(moveFrom('a', [node('a'), node('b')], owners(urls))).toEqual(move);
  });

  it.each([
    ['it has one more', ['a', 'b', 'a', 'b'], [node('a'), node('b')]],
    ['it is alone', ['a', 'a', 'a', 'a'], [node('a')]],
    ['another one has more', ['c', 'c', 'c', 'a'], [node('a'), node('b'), node('c')]],
    [
      'the other one has no gateway of its partitions',
      ['a', 'a', 'a', 'b'],
      [node('a'), node('b', ['0003'])],
    ],
  ])('never where %s', (_why, urls, nodes) => {
    expect(moveFrom('a', nodes, owners(urls))).toBeUndefined();
  });

  it('that the node which gets it has a gateway of', () => {
    const nodes = [node('a'), node('b', ['0001'])];
    expect(moveFrom('a', nodes, owners(['a', 'a', 'a']))).toEqual({ partition: '0001', to: 'b' });
  });

  it('where a fuller one has nobody to give to', () => {
    const [own, shared] = [ALL.slice(0, 2), ALL.slice(2)];
    const nodes = [node('a', [...own, 'x']), node('b', shared), node('c', shared)];
    const now = new Map([
      ...[...own, 'x'].map((id) => [id, 'a'] as const),
      ...shared.map((id) => [id, 'b'] as const),
    ]);
    expect(moveFrom('a', nodes, now)).toBeUndefined();
    expect(moveFrom('b', nodes, now)).toEqual({ partition: '0003', to: 'c' });
  });

  it('until no node has two more than another, whichever comes first', () => {
    const nodes = ['a', 'b', 'c'].map((url) => node(url));
    const now = owners(['a', 'a', 'a', 'a']);
    const moves = [];
    for (let step = 0; step < 10; step += 1) {
      const move = nodes.map(({ url }) => moveFrom(url, nodes, now)).find((each) => each !== undefined);
      if (move === undefined) break;
      now.set(move.partition, move.to);
      moves.push(move);
    }
    expect(moves).toHaveLength(2);
    expect([...now.values()].sort()).toEqual(['a', 'a', 'b', 'c']);
  });
});
