import { readFileSync } from 'node:fs';
import { sha256Hex } from '#json/canonical.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { writeFileAtomic } from '#store/atomic-file.ts';
import { commitKey } from '#store/keys.ts';
import { SEAL_BYTES } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { Checkpoint, LogHead } from './event-log.ts';
import { isEventId } from './segment.ts';
import type { Timers } from './timers.ts';

export type CheckpointVerdict =
  | { status: 'none' }
  | { status: 'ok'; checkpoint: Checkpoint }
  | { status: 'bad'; expected: string; observed: string };

/**
 * Signs the head as the store holds it: the commit record is read again and hashed before anything is signed, because a
 * wrong signed hash can never be taken back. Throws IntegrityError when it is not the head's.
 */
export function signCheckpoint(
  store: Pick<Store, 'get'>,
  keys: KeyRegistry,
  facts: { head: LogHead; logId: string; time: string },
): Checkpoint {
  const { head, logId, time } = facts;
  const where = commitKey(head.commit);
  const stored = store.get(where);
  const observed = stored === undefined ? 'no commit' : sha256Hex(stored.subarray(SEAL_BYTES));
  if (observed !== head.hash) throw new IntegrityError(where, head.hash, observed);
  const key = keys.current();
  const unsigned = {
    commit: head.commit,
    event_id: head.eventId,
    hash: head.hash,
    key_id: key.keyId,
    log_id: logId,
    time,
  };
  const signature = key.sign(signedBytes({ ...unsigned, signature: '' })).toString('base64');
  return { ...unsigned, signature };
}

export function encodeCheckpoint(checkpoint: Checkpoint): string {
  return `${JSON.stringify(checkpoint)}\n`;
}

/** Reads and verifies the file. A file that is absent is no fault: the first second of a log has none. */
export function readCheckpoint(path: string, keys: KeyRegistry): CheckpointVerdict {
  const text = readText(path);
  if (text === undefined) return { status: 'none' };
  const checkpoint = parseCheckpoint(text);
  if (checkpoint === undefined)
    return { status: 'bad', expected: 'a checkpoint', observed: 'unreadable text' };
  const verdict = keys.verify(checkpoint.key_id, signedBytes(checkpoint), checkpoint.signature);
  if (verdict !== 'ok') return { status: 'bad', expected: 'a valid signature', observed: verdict };
  return { status: 'ok', checkpoint };
}

export function headOfCheckpoint(checkpoint: Checkpoint): LogHead {
  return { commit: checkpoint.commit, hash: checkpoint.hash, eventId: checkpoint.event_id };
}

function signedBytes({ commit, event_id, hash, key_id, log_id, time }: Checkpoint): Buffer {
  return Buffer.from(JSON.stringify({ commit, event_id, hash, key_id, log_id, time }));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseCheckpoint(text: string): Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isCheckpoint(value) ? value : undefined;
  } catch {
    // Text that is no JSON is reported as a bad checkpoint.
    return undefined;
  }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  const texts = ['event_id', 'hash', 'key_id', 'log_id', 'signature', 'time'];
  if (texts.some((name) => typeof members.get(name) !== 'string')) return false;
  return Number.isSafeInteger(members.get('commit')) && isEventId(String(members.get('event_id')));
}

const FILE_MODE = 0o600;

export interface CheckpointWriterParts {
  store: Store;
  keys: KeyRegistry;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  path: string;
  logId: string;
  /** Least time between two files, milliseconds. */
  intervalMs: number;
  head(): LogHead;
  /** False while the log fails its check: a new file would hide what the old one proves. */
  isSound(): boolean;
  /** The head's commit record is not what was written: nothing was signed. */
  onDamage(error: IntegrityError): void;
}

/** Keeps the checkpoint file behind the head by at most the interval, and never ahead of it. */
export class CheckpointWriter {
  readonly #parts: CheckpointWriterParts;
  #stopTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #trusted: LogHead;

  constructor(parts: CheckpointWriterParts, trusted: LogHead) {
    this.#parts = parts;
    this.#trusted = trusted;
  }

  /** What the file says: where a verification may start. */
  get trusted(): LogHead {
    return this.#trusted;
  }

  /** A commit became durable. */
  headMoved(): void {
    this.#stopTimer ??= this.#parts.timers.after(this.#parts.intervalMs, () => {
      this.#stopTimer = undefined;
      void this.write();
    });
  }

  /** Writes the file now unless it says so already. A failure is logged and tried again when the head moves. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow());
    return this.#writing;
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #writeNow(): Promise<void> {
    const { store, keys, clock, logger, path, logId } = this.#parts;
    const head = this.#parts.head();
    if (!this.#parts.isSound() || head.commit === 0 || head.hash === this.#trusted.hash) return;
    try {
      const checkpoint = signCheckpoint(store, keys, { head, logId, time: timestamp(clock.now()) });
      await writeFileAtomic(path, encodeCheckpoint(checkpoint), FILE_MODE);
      this.#trusted = head;
    } catch (error) {
      logger.error({ err: error, path }, 'checkpoint not written');
      if (error instanceof IntegrityError) this.#parts.onDamage(error);
    }
  }
}
