import { baseKey } from '#store/keys.ts';
import type { BaseEntry } from './base-row.ts';
import type { RowRemoval, State } from './event-log.ts';
import { isResource } from './fold-record.ts';
import { refuseKept } from './retention-rules.ts';
import type { StagedTransaction } from './staged-transaction.ts';

/** Stages the removal of derived rows with their base. False where a kept event has changed one of them. */
export function stageRows(tx: StagedTransaction, { rows, changes, erased, record }: RowRemoval): boolean {
  if (rows.some((row) => isChangedSince(tx, row))) return false;
  for (const row of rows) {
    refuseKept(row, 'with its session');
    tx.dropRow(row);
    eraseKept(tx, baseKey(row));
  }
  for (const [key, change] of changes) changeShared(tx, key, change);
  for (const key of erased(tx)) {
    refuseKept(key, 'with its session');
    eraseKept(tx, key);
  }
  if (record !== undefined) tx.record(record.key, record.next(tx.recorded(record.key)));
  return true;
}

/** A resource that stands as its removed events left it is the base itself, so that there is none besides. */
function isChangedSince(tx: StagedTransaction, row: string): boolean {
  return isResource(row) && tx.recorded(baseKey(row)) !== undefined;
}

function changeShared(tx: StagedTransaction, key: string, change: (state: State) => State | undefined): void {
  const state = tx.get(key);
  const next = state && change(state);
  if (tx.isBase(key)) {
    if (next === undefined) tx.dropRow(key);
    else tx.makeBase(key, { state: next });
    return;
  }
  if (state !== undefined) tx.set(key, next);
  const entry = baseOf(tx, key);
  if (entry === undefined || !('fold' in entry)) return;
  const left = change(entry.fold);
  if (left === undefined) tx.erase(baseKey(key));
  else tx.record(baseKey(key), JSON.stringify({ fold: left } satisfies BaseEntry));
}

function baseOf(tx: StagedTransaction, key: string): BaseEntry | undefined {
  const content = tx.recorded(baseKey(key));
  return content && (JSON.parse(content.toString('utf8')) as BaseEntry);
}

function eraseKept(tx: StagedTransaction, key: string): void {
  if (tx.recorded(key) !== undefined) tx.erase(key);
}
