import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '#json/canonical.ts';
import { KEY_KINDS } from '#store/keys.ts';
import { contentOfChecked } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { isBaseRow, isDerivedRow } from './base-row.ts';
import type { Finding } from './finding.ts';
import type { Scratch } from './scratch.ts';

/** Put into the scratch for a primary record: that a commit accounts for it. Its bytes are checked by RecordAudit. */
export const ACCOUNTED = Buffer.from([1]);

/** The key in the scratch under which a record is accounted for; that of a derived row is taken by the row itself. */
export const accountOf = (key: string): string => (isDerivedRow(key) ? `=${key}` : key);

/** Commits, events and the schema record are checked by other means. */
const CHECKED_ELSEWHERE = [KEY_KINDS.commit.prefix, KEY_KINDS.event.prefix, KEY_KINDS.meta.prefix];

type Entry = [string, Buffer];

/**
 * Goes through the store and the rebuilt scratch side by side, in key order, with one page of each in memory: every key
 * that only one of them has, and every fold that differs, is a finding.
 */
export async function* compareKeys(store: Store, scratch: Scratch): AsyncGenerator<Finding, void> {
  const stored = flat(
    store.entries({}),
    (key) => !CHECKED_ELSEWHERE.some((prefix) => key.startsWith(prefix)),
  );
  const rebuilt = flat(scratch.entries(), () => true);
  let [left, right] = [await pull(stored), await pull(rebuilt)];
  while (left !== undefined || right !== undefined) {
    if (right === undefined || (left !== undefined && left[0] < right[0])) {
      if (left !== undefined) yield extra(left[0]);
      left = await pull(stored);
    } else if (left === undefined || right[0] < left[0]) {
      // A missing primary record is the audit's finding.
      if (!right[1].equals(ACCOUNTED)) yield fold(right[0], right[1], undefined);
      right = await pull(rebuilt);
    } else {
      if (!right[1].equals(ACCOUNTED) && !sameState(left[0], left[1], right[1]))
        yield fold(left[0], right[1], left[1]);
      // The rebuild began with it.
      else if (isBaseRow(left[0], left[1]) && scratch.get(accountOf(left[0])) === undefined)
        yield extra(left[0]);
      [left, right] = [await pull(stored), await pull(rebuilt)];
    }
  }
}

async function* flat(
  pages: AsyncIterable<Entry[]>,
  take: (key: string) => boolean,
): AsyncGenerator<Entry, void> {
  for await (const page of pages) for (const entry of page) if (take(entry[0])) yield entry;
}

async function pull(entries: AsyncGenerator<Entry, void>): Promise<Entry | undefined> {
  const next = await entries.next();
  return next.done ? undefined : next.value;
}

/**
 * Equal bytes, or equal JSON under a right checksum: the order of members may depend on which states were in memory when a
 * state was made.
 */
function sameState(key: string, stored: Buffer, rebuilt: Buffer): boolean {
  if (stored.equals(rebuilt)) return true;
  if (stored.length === 0 || rebuilt.length === 0) return false;
  return isDeepStrictEqual(parse(key, stored), parse(key, rebuilt));
}

function parse(key: string, sealed: Buffer): unknown {
  try {
    return JSON.parse(contentOfChecked(sealed, key).toString('utf8'));
  } catch {
    // Damaged, or no JSON: equal to nothing.
    return Symbol('unreadable');
  }
}

function spell(value: Buffer | undefined): string {
  if (value === undefined) return 'no record';
  return value.length === 0 ? 'a marker' : sha256Hex(value);
}

function fold(where: string, expected: Buffer, observed: Buffer | undefined): Finding {
  return { problem: 'fold', where, expected: spell(expected), observed: spell(observed) };
}

function extra(where: string): Finding {
  return { problem: 'extra', where, expected: 'no record', observed: 'a record no commit accounts for' };
}
