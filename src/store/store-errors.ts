/** `locked`: another process owns it. `unreadable`: the files cannot be read or written. `corrupt`: they are damaged. */
export type StoreOpenReason = 'locked' | 'unreadable' | 'corrupt';

/**
 * The store cannot be opened; nothing was changed. The operator stops the owner (`locked`), mends path or rights
 * (`unreadable`), or restores a backup (`corrupt`).
 */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  readonly reason: StoreOpenReason;
  readonly path: string;
  /** Process that holds the lock, when it said so. */
  readonly ownerPid: number | undefined;

  constructor(
    reason: StoreOpenReason,
    path: string,
    message: string,
    facts: { ownerPid?: number; cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.reason = reason;
    this.path = path;
    this.ownerPid = facts.ownerPid;
  }
}

/** Stored bytes are not what was written. `where` is the key or file; the two others are hashes or plain words. */
export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';
  readonly where: string;
  readonly expected: string;
  readonly observed: string;

  constructor(where: string, expected: string, observed: string, cause?: unknown) {
    super(
      `The stored record ${where} is damaged: expected ${expected}, observed ${observed}.`,
      cause === undefined ? undefined : { cause },
    );
    this.where = where;
    this.expected = expected;
    this.observed = observed;
  }
}
