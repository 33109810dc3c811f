import { type CleanText, own } from './clean.ts';

/** Wall and monotonic time. Injected everywhere: replay, recovery and clock-jump tests depend on it. */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds; only differences mean anything. Timeouts use this one. */
  monotonic(): number;
}

/** Source of unpredictable bytes. */
export interface Random {
  /** Returns `size` fresh random bytes. */
  bytes(size: number): Uint8Array;
}

/** Structured log sink; the fields must never hold a secret. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** RFC 3339 UTC with milliseconds, the only timestamp spelling on the wire. */
export function timestamp(epochMs: number): CleanText {
  return own(new Date(epochMs).toISOString());
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHAR_CODES = Array.from(CROCKFORD, (char) => char.charCodeAt(0));
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
const LAST = TIME_DIGITS + RANDOM_DIGITS - 1;

/** Makes `<object>_<ULID>` ids: unique, and sorted by creation within one source. */
export type IdSource = (object: string) => CleanText;

/**
 * A monotonic ULID source: within one millisecond, or when the clock steps back, the random part counts up. No id is from
 * before `notBeforeMs`, so that ids go on rising over a restart with a clock that was put back.
 */
export function createIdSource(clock: Clock, random: Random, notBeforeMs = 0): IdSource {
  let lastMs = -1;
  /** The values of all digits: first those of the time, then the random ones. */
  const digits: number[] = new Array(LAST + 1).fill(0);
  /** All but the last digit, which alone changes from most ids to the next. */
  let stem = '';
  return (object) => {
    const now = Math.max(clock.now(), notBeforeMs);
    if (now > lastMs) {
      lastMs = now;
      draw(digits, now, random.bytes(RANDOM_DIGITS));
      stem = spellStem(digits);
    } else if (increment(digits)) {
      stem = spellStem(digits);
    }
    return own(`${object}_${stem}${CROCKFORD[digits[LAST] ?? 0]}`);
  };
}

function draw(digits: number[], ms: number, bytes: Uint8Array): void {
  let rest = ms;
  for (let at = TIME_DIGITS - 1; at >= 0; at--) {
    digits[at] = rest % 32;
    rest = Math.floor(rest / 32);
  }
  for (let at = 0; at < RANDOM_DIGITS; at++) digits[TIME_DIGITS + at] = (bytes[at] ?? 0) & 31;
  // A clear top bit leaves room to count up without overflow.
  digits[TIME_DIGITS] = (digits[TIME_DIGITS] ?? 0) & 15;
}

/** One call for all digits: joining them one by one would allocate a string for each. */
function spellStem(digits: number[]): string {
  return String.fromCharCode(...digits.slice(0, LAST).map((digit) => CHAR_CODES[digit] ?? 0));
}

/** True when more than the last digit changed. */
function increment(digits: number[]): boolean {
  for (let at = LAST; at >= TIME_DIGITS; at--) {
    const digit = digits[at] ?? 0;
    if (digit < 31) {
      digits[at] = digit + 1;
      return at < LAST;
    }
    digits[at] = 0;
  }
  return true;
}

const EVENT_DIGITS = 20;
const PARTITION_DIGITS = 4;
/** Of an embedded log, and of the first of several. */
export const FIRST_PARTITION = '0000';

/** The id of the event with a number in a partition: 20 digits. See src/eventlog/README.md, Event ids. */
export function eventIdOf(n: number, partition: string = FIRST_PARTITION): string {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError(`The number of an event is a whole one from 0: ${n}`);
  // No such number has more digits.
  return partition + String(n).padStart(EVENT_DIGITS - PARTITION_DIGITS, '0');
}

/** The number in an event id. It stays far below 2^53. */
export const eventNumberOf = (id: string): number => Number(id.slice(PARTITION_DIGITS));

/** The first digits of every event id of a partition. */
export const partitionOf = (eventId: string): string => eventId.slice(0, PARTITION_DIGITS);

/** The id so many events behind another one; in front of it for a number below 0. */
export const eventIdBehind = (id: string, events: number): string =>
  eventIdOf(Number(id.slice(PARTITION_DIGITS)) + events, id.slice(0, PARTITION_DIGITS));
