import { describe, expect, it } from 'vitest';
import * as keys from '#store/keys.ts';

const EVENT = '00000000000000000042';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('the key layout', () => {
  it('spells every kind of key as documented', () => {
    expect([
      keys.commitKey(7),
      keys.eventKey(EVENT),
      keys.streamOf('session', 'session_1') + EVENT,
      keys.streamOf('task', 'task_1') + EVENT,
      keys.resourceKey('task', 'task_1'),
      keys.foldKey('quota', 'tenant_1', 'day'),
      keys.listKey('tasks', 'workspace_1', 'task_1'),
      keys.frameKey('task_1', 3),
      keys.contentKey('workspace_1', SHA256, 12),
      keys.partKey('artifact_1', 12),
      keys.layoutKey('artifact_1'),
      keys.idempotencyKey('abc'),
      keys.ANSWERS_SWEPT_KEY,
      keys.inputKey('message_1'),
      keys.baseKey('r/task/task_1'),
      keys.workspaceCutKey('workspace_1'),
      keys.streamCutKey('task', 'task_1'),
      keys.LOG_CUT_KEY,
      keys.leafKey(3),
      keys.treeNodeKey(4, 3),
      keys.TREE_HEAD_KEY,
      keys.metaKey('log_id'),
    ]).toEqual([
      'c/0000000000000007',
      'e/00000000000000000042',
      'es/session_1/00000000000000000042',
      'et/task_1/00000000000000000042',
      'r/task/task_1',
      'x/quota/tenant_1/day',
      'l/tasks/workspace_1/task_1',
      'f/task_1/00000003',
      `b/workspace_1/${SHA256}/00000012`,
      'a/artifact_1/00000012',
      'al/artifact_1',
      'i/abc',
      'it/swept',
      's/message_1',
      'p/r/task/task_1',
      'o/workspace/workspace_1',
      'o/task/task_1',
      'o/log/all',
      'tl/0000000000000003',
      'tn/04/0000000000000003',
      'th/newest',
      'm/log_id',
    ]);
  });

  it('gives no two kinds the same prefix, and no prefix inside the range of another', () => {
    const prefixes = Object.values(keys.KEY_KINDS).map((kind) => kind.prefix);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    for (const prefix of prefixes) {
      const range = keys.keysUnder(prefix);
      const inside = prefixes.filter((other) => `${other}1` >= range.gte && `${other}1` < range.lt);
      expect(inside).toEqual([prefix]);
    }
  });

  it('tells of which content a key is a piece', () => {
    const place = { scope: '~tenant', sha256: SHA256, n: 12 };
    expect(keys.contentPlaceOf(keys.contentKey(place.scope, place.sha256, place.n))).toEqual(place);
    for (const key of [`b/workspace_1/${SHA256}`, 'b/workspace_1/abc/00000012', keys.partKey('a', 1)])
      expect(keys.contentPlaceOf(key)).toBeUndefined();
  });

  it('orders numbers by value', () => {
    const spelled = [9, 10, 99, 100, 1_000_000].map(keys.commitKey);
    expect([...spelled].sort()).toEqual(spelled);
  });

  it('answers an id that can be no key as an absent resource', () => {
    for (const id of ['', 'a/b', 'grün', 'a\nb', 'a b', '\u0000', 'ı'])
      expect(() => keys.resourceKey('task', id), JSON.stringify(id)).toThrow(
        expect.objectContaining({ code: 'resource_not_found' }),
      );
    expect(() => keys.eventKey('42')).toThrow(expect.objectContaining({ code: 'resource_not_found' }));
    expect(() => keys.listKey('tasks', '..', 'x/y')).toThrow(
      expect.objectContaining({ code: 'resource_not_found' }),
    );
  });

  it('refuses numbers that would break the order', () => {
    for (const n of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => keys.commitKey(n)).toThrow(RangeError);
    expect(() => keys.frameKey('task_1', 100_000_000)).toThrow(RangeError);
  });

  it('finds the last segment of an index key', () => {
    expect(keys.lastSegment(keys.eventKey(EVENT))).toBe(EVENT);
  });
});
