import { KEY_KINDS, keysUnder } from '#store/keys.ts';
import type { KeyRange, LostKeys, Store, WriteOp } from '#store/store.ts';
import { rowsInNewForm } from './copy-log.ts';
import type { SchemaStep } from './step.ts';

const DERIVED = Object.values(KEY_KINDS).filter(({ kind }) => kind === 'derived');

/**
 * Takes the derived rows of the old log along, for a log whose events cannot all be read: what was served goes on being served.
 * Those in lost blocks are passed over.
 */
export async function carryRows(source: Store, target: Store, steps: readonly SchemaStep[]): Promise<void> {
  for (const { prefix } of DERIVED)
    for (const range of readableIn(keysUnder(prefix), source.lost))
      for await (const page of source.entries(range)) {
        const rows = page.flatMap(([key, stored]) => rowsInNewForm(steps, key, stored));
        const ops = rows.map(([key, value]): WriteOp => ({ type: 'put', key, value }));
        if (ops.length > 0) await target.write(ops);
      }
}

/** The range without the keys that were lost. */
function readableIn({ gte, lt }: { gte: string; lt: string }, lost: readonly LostKeys[]): KeyRange[] {
  const spans = [...lost].sort((one, other) => (one.after < other.after ? -1 : 1));
  const ranges: KeyRange[] = [];
  let from = gte;
  for (const { after, upTo } of spans) {
    if (after >= from) ranges.push({ gte: from, lte: after });
    const next = firstBehind(upTo);
    if (next > from) from = next;
  }
  return [...ranges, { gte: from, lt }].filter(({ gte: first }) => first !== undefined && first < lt);
}

/** The least key that is greater. */
const firstBehind = (key: string): string => `${key}\0`;
