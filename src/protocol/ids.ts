import type { Clock, Random } from './ports.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** Makes `<object>_<ULID>` ids: unique, and sorted by creation within one source (contract section 6). */
export type IdSource = (object: string) => string;

/**
 * A monotonic ULID source: within one millisecond, or when the clock steps back, the random part counts up. No id is from
 * before `notBeforeMs`, so that ids go on rising over a restart with a clock that was put back.
 */
export function createIdSource(clock: Clock, random: Random, notBeforeMs = 0): IdSource {
  let lastMs = -1;
  let timePart = '';
  let digits: number[] = [];
  /** All but the last digit, which alone changes from most ids to the next. */
  let stem = '';
  return (object) => {
    const now = Math.max(clock.now(), notBeforeMs);
    if (now > lastMs) {
      lastMs = now;
      timePart = encodeTime(now);
      digits = Array.from(random.bytes(RANDOM_DIGITS), (byte) => byte & 31);
      // A clear top bit leaves room to count up without overflow.
      digits[0] = (digits[0] ?? 0) & 15;
      stem = timePart + spell(digits.slice(0, -1));
    } else if (increment(digits)) {
      stem = timePart + spell(digits.slice(0, -1));
    }
    return `${object}_${stem}${CROCKFORD[digits[RANDOM_DIGITS - 1] ?? 0]}`;
  };
}

function encodeTime(ms: number): string {
  let rest = ms;
  let text = '';
  for (let digit = 0; digit < TIME_DIGITS; digit++) {
    text = CROCKFORD[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function spell(digits: readonly number[]): string {
  return digits.map((digit) => CROCKFORD[digit]).join('');
}

/** True when more than the last digit changed. */
function increment(digits: number[]): boolean {
  for (let at = digits.length - 1; at >= 0; at--) {
    const digit = digits[at] ?? 0;
    if (digit < 31) {
      digits[at] = digit + 1;
      return at < digits.length - 1;
    }
    digits[at] = 0;
  }
  return true;
}
