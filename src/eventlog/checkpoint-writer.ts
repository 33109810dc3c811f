import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { writeFileAtomic } from '#store/atomic-file.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { encodeCheckpoint, signCheckpoint } from './checkpoint.ts';
import type { LogHead } from './event-log.ts';
import type { Timers } from './timers.ts';

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
