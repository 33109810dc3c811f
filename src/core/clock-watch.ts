import type { EventLog } from '#eventlog/event-log.ts';
import { CLOCK_TOLERANCE_MS } from '#eventlog/group-commit.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import { notedWindowTime } from './old-answers.ts';

/** The longest stop that windows count. A longer one looks like a clock that was set forward while the gateway was down. */
const MAX_STOP_MS = 12 * 3_600_000;
/** A wall clock that ran evenly for this long is trusted again. */
const SETTLED_MS = 3_600_000;

export interface ClockWatchParts {
  clock: Clock;
  logger: Logger;
  log: Pick<EventLog, 'record' | 'timeMs'>;
}

/**
 * Watches the wall clock against the monotonic one. Windows are counted by what passed, so that a clock that is set forward
 * expires no Idempotency-Key early.
 */
export class ClockWatch {
  readonly #parts: ClockWatchParts;
  /** Of the two clocks when it began. */
  readonly #startMs: number;
  readonly #startedAt: number;
  /** Where wall and monotonic clock agreed last. */
  #agreed: { wallMs: number; at: number };
  #jump: { ms: number; at: number } | undefined;
  #isBehind = false;

  /** Goes on with the time that windows had reached. */
  static open(parts: ClockWatchParts): ClockWatch {
    return new ClockWatch(parts, notedWindowTime(parts.log));
  }

  private constructor(parts: ClockWatchParts, notedMs: number | undefined) {
    const { clock } = parts;
    this.#parts = parts;
    this.#startedAt = clock.monotonic();
    this.#startMs = Math.min(clock.now(), (notedMs ?? Number.POSITIVE_INFINITY) + MAX_STOP_MS);
    this.#agreed = { wallMs: clock.now(), at: this.#startedAt };
  }

  /** Epoch milliseconds by which windows are counted: the wall clock, as long as that goes evenly. */
  windowNow(): number {
    return Math.floor(this.#startMs + this.#parts.clock.monotonic() - this.#startedAt);
  }

  /** Whether the wall clock may be believed where something is removed for good. */
  get isCalm(): boolean {
    return this.#jump === undefined;
  }

  /** Done every few seconds: reports a jump once, and that it is over. */
  look(): void {
    const { clock, logger, log } = this.#parts;
    const at = clock.monotonic();
    const wallMs = clock.now();
    const jumpMs = Math.round(wallMs - this.#agreed.wallMs - (at - this.#agreed.at));
    this.#agreed = { wallMs, at };
    if (Math.abs(jumpMs) > CLOCK_TOLERANCE_MS) {
      this.#jump = { ms: jumpMs, at };
      logger.warn({ jump_ms: jumpMs }, 'the wall clock jumped');
    } else if (this.#jump !== undefined && at - this.#jump.at >= SETTLED_MS) {
      this.#jump = undefined;
      logger.info({}, 'the wall clock went evenly since its jump and is believed again');
    }
    this.#warnBehind(log.timeMs - wallMs);
  }

  /** For `/ready`; empty while all is well. */
  details(): Record<string, number> {
    const behindMs = this.#parts.log.timeMs - this.#parts.clock.now();
    return {
      ...(this.#jump === undefined ? {} : { clock_jumped_ms: this.#jump.ms }),
      ...(behindMs > CLOCK_TOLERANCE_MS ? { clock_behind_ms: behindMs } : {}),
    };
  }

  #warnBehind(behindMs: number): void {
    const isBehind = behindMs > CLOCK_TOLERANCE_MS;
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    const { logger } = this.#parts;
    if (isBehind)
      logger.warn(
        { behind_ms: behindMs },
        'the wall clock is behind the newest event; times stay at that event until it is believed',
      );
    else logger.info({}, 'the times of new events follow the wall clock again');
  }
}
