import { sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { contentOfRow, isBaseRow, isDerivedRow, rowHash } from './base-row.ts';
import { type SegmentPlace, segmentsAfter } from './commit-numbering.ts';
import type { CommitRecord } from './commit-record.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';

/** A segment with its content; none where it is not as its commit says. */
export interface AuditedSegment extends SegmentPlace {
  content: Buffer | undefined;
}

/**
 * Compares the records that commits name with what is stored. A record that is absent or different stays a suspect until a
 * later commit erases or rewrites it, so memory holds suspects only, not the log.
 */
export class RecordAudit {
  readonly #store: Store;
  readonly #suspects = new Map<string, Finding & { isUnreadable: boolean }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Checks the records of the commit after `before`; returns the segments of its events. */
  async take(commit: CommitRecord, before: LogHead): Promise<AuditedSegment[]> {
    const contents = await this.contents(commit);
    return segmentsAfter(before, commit).map((place) => ({ ...place, content: contents.get(place.key) }));
  }

  /** Checks the records of a commit; returns the contents of those that are as it says. */
  async contents({
    records,
    erased,
  }: Pick<CommitRecord, 'records' | 'erased'>): Promise<Map<string, Buffer>> {
    for (const [key] of erased) this.#suspects.delete(key);
    const stored = await readAll(
      this.#store,
      records.map(([key]) => key),
    );
    const contents = new Map<string, Buffer>();
    for (const [at, [key, expected]] of records.entries()) {
      const content = this.#check(key, expected, stored[at]);
      if (content !== undefined) contents.set(key, content);
    }
    return contents;
  }

  /** The suspects no later commit cleared, oldest first. */
  findings(): Finding[] {
    return [...this.#suspects.values()].map(({ isUnreadable: _, ...finding }) => finding);
  }

  /**
   * Those that cannot be read. The others may be right where the records of later commits were removed, which may have erased or
   * rewritten them: then only the set hash of everything stored shows it.
   */
  unreadable(): Finding[] {
    const places = new Set(
      [...this.#suspects.values()].flatMap(({ where, isUnreadable }) => (isUnreadable ? where : [])),
    );
    return this.findings().filter(({ where }) => places.has(where));
  }

  #suspect(finding: Finding, isUnreadable: boolean): void {
    this.#suspects.set(finding.where, { ...finding, isUnreadable });
  }

  #check(key: string, expected: string, sealed: Buffer | undefined | IntegrityError): Buffer | undefined {
    this.#suspects.delete(key);
    if (sealed instanceof IntegrityError) {
      this.#suspect({ problem: 'hash', where: key, expected, observed: sealed.observed }, true);
      return undefined;
    }
    if (sealed === undefined) {
      this.#suspect({ problem: 'missing', where: key, expected, observed: 'no record' }, false);
      return undefined;
    }
    const read = contentOrFault(sealed, key, expected);
    if (Buffer.isBuffer(read)) return read;
    const { isUnreadable, ...hashes } = read;
    this.#suspect({ problem: 'hash', where: key, ...hashes }, isUnreadable);
    return undefined;
  }
}

/** Values of keys; the error in the place of each that lies in a lost block. */
async function readAll(
  store: Store,
  keys: readonly string[],
): Promise<(Buffer | undefined | IntegrityError)[]> {
  try {
    return await store.getMany(keys);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    return keys.map((key) => readOne(store, key));
  }
}

function readOne(store: Store, key: string): Buffer | undefined | IntegrityError {
  try {
    return store.get(key);
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    throw error;
  }
}

/**
 * The content of a record, which has to be what its own seal or checksum says, because readers trust that, and what the commit
 * says. A derived row has to be the base still.
 */
function contentOrFault(
  stored: Buffer,
  key: string,
  expected: string,
): Buffer | (Pick<Finding, 'expected' | 'observed'> & { isUnreadable: boolean }) {
  try {
    const isRow = isDerivedRow(key);
    const content = isRow ? contentOfRow(key, stored) : unseal(stored, key);
    if (isRow && !isBaseRow(key, stored))
      return { expected, observed: 'a row that is not the base', isUnreadable: false };
    const observed = isRow ? rowHash(key, stored) : sealedHash(stored);
    return observed === expected ? content : { expected, observed, isUnreadable: false };
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    return { expected: error.expected, observed: error.observed, isUnreadable: true };
  }
}
