import { eventKey } from '../store/keys.ts';
import { SEAL_BYTES, sealedHash, unseal } from '../store/sealed-record.ts';
import type { Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';
import { eventIdsAfter } from './commit-numbering.ts';
import { type CommitRecord, eventHashes } from './commit-record.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';

export interface AuditedEvent {
  key: string;
  content: Buffer | undefined;
}

/**
 * Compares the records that commits name with what is stored. A record that is absent or different stays a suspect until a
 * later commit erases or rewrites it, so memory holds suspects only, not the log.
 */
export class RecordAudit {
  readonly #store: Store;
  readonly #suspects = new Map<string, Finding>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Checks the records of the commit after `before`; returns its events, without content where it is not as it should be. */
  async take(commit: CommitRecord, before: LogHead): Promise<AuditedEvent[]> {
    for (const key of commit.erased) this.#suspects.delete(key);
    const hashes = eventHashes(commit);
    const events = eventIdsAfter(before, commit).map((id, at): [string, string] => [
      eventKey(id),
      hashes[at] ?? '',
    ]);
    const listed = [...events, ...commit.records];
    const stored = await this.#store.getMany(listed.map(([key]) => key));
    const contents = listed.map(([key, expected], at) => this.#check(key, expected, stored[at]));
    return events.map(([key], at) => ({ key, content: contents[at] }));
  }

  /** The suspects no later commit cleared, oldest first. */
  findings(): Finding[] {
    return [...this.#suspects.values()];
  }

  #check(key: string, expected: string, sealed: Buffer | undefined): Buffer | undefined {
    this.#suspects.delete(key);
    if (sealed === undefined) {
      this.#suspects.set(key, { problem: 'missing', where: key, expected, observed: 'no record' });
      return undefined;
    }
    const fault = faultOf(sealed, key, expected);
    if (fault === undefined) return sealed.subarray(SEAL_BYTES);
    this.#suspects.set(key, { problem: 'hash', where: key, ...fault });
    return undefined;
  }
}

/** The record has to be what its own seal says, because readers trust that, and what the commit says. */
function faultOf(
  sealed: Buffer,
  key: string,
  expected: string,
): Pick<Finding, 'expected' | 'observed'> | undefined {
  try {
    unseal(sealed, key);
  } catch (error) {
    if (error instanceof IntegrityError) return { expected: error.expected, observed: error.observed };
    throw error;
  }
  const observed = sealedHash(sealed);
  return observed === expected ? undefined : { expected, observed };
}
