import { sha256Hex } from '#json/canonical.ts';
import { KEY_KINDS, LOG_CUT_KEY, LOG_FOLDED_KEY } from '#store/keys.ts';
import { CHECK_DIGITS, contentOfChecked, SEAL_BYTES } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import type { FoldCodec, FoldRecord } from './fold-record.ts';

/**
 * The base: what the removed events of a log had folded to, with which a rebuild of the folds begins. A derived row that stands
 * as they left it is the base itself: it says so, and a commit names it by the hash of its content, as it names a primary record.
 * Once a later event changes the row, its earlier content is kept as a record of its own, `p/<key>`.
 */
export type BaseEntry = { fold: object } | { marker: true };

/** The entry of a list key. */
export const MARKER_ENTRY = JSON.stringify({ marker: true } satisfies BaseEntry);

/** The entry of a fold. */
export function baseEntryOf(codec: FoldCodec, key: string, fold: FoldRecord): string {
  return `{"fold":${codec.write(key, fold)}}`;
}

/** The value of a list key that is the base; that of another is empty. */
export const BASE_MARKER = 'p';

/** The end of the JSON of a fold that is the base. */
const BASE_END = Buffer.from('"isBase":true}');
const MARKER_BYTES = Buffer.from(BASE_MARKER);

/** The kinds of rows that can be the base. */
export const BASE_ROW_KINDS = [KEY_KINDS.resource, KEY_KINDS.fold, KEY_KINDS.list] as const;

/** False only where neither retention nor an erasure ever came, so that no row is the base. */
export function mayHaveBase(store: Pick<Store, 'get'>): boolean {
  return [LOG_CUT_KEY, LOG_FOLDED_KEY].some((key) => store.get(key) !== undefined);
}

/** Whether a key is that of a fold or of a list, and so of no record of its own. */
export function isDerivedRow(key: string): boolean {
  return BASE_ROW_KINDS.some(({ prefix }) => key.startsWith(prefix));
}

export function isListRow(key: string): boolean {
  return key.startsWith(KEY_KINDS.list.prefix);
}

/** Whether a stored row says that it is the base. */
export function isBaseRow(key: string, stored: Buffer): boolean {
  if (isListRow(key)) return stored.equals(MARKER_BYTES);
  return isDerivedRow(key) && stored.subarray(-BASE_END.length).equals(BASE_END);
}

/** The content of a stored row. Throws IntegrityError when it is damaged. */
export function contentOfRow(key: string, stored: Buffer): Buffer {
  return isListRow(key) ? stored : contentOfChecked(stored, key);
}

/** The hash by which a commit names a row that is the base: lower-case hex SHA-256 of the content that is there. */
export function rowHash(key: string, stored: Buffer): string {
  return sha256Hex(isListRow(key) ? stored : stored.subarray(CHECK_DIGITS));
}

/** The kinds of what commits name: primary records, and rows that are the base. */
export const NAMED_KINDS = Object.values(KEY_KINDS).filter(
  (kind) => (kind.kind === 'primary' && kind !== KEY_KINDS.commit) || isDerivedRow(kind.prefix),
);

/** The hash of what is stored as some commit has to name it; undefined for what none does: another derived row, or a commit. */
export function namedHash(key: string, stored: Buffer): string | undefined {
  if (isDerivedRow(key)) return isBaseRow(key, stored) ? rowHash(key, stored) : undefined;
  const isNamed = NAMED_KINDS.some(({ prefix }) => key.startsWith(prefix));
  return isNamed ? sha256Hex(stored.subarray(SEAL_BYTES)) : undefined;
}
