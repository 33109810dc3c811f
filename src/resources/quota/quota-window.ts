import { timestamp } from '#protocol/ports.ts';
import type { QuotaWindow } from './schema.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When the window that `time` (RFC 3339) lies in is over; null where it never is. */
export function windowEnd(window: QuotaWindow, time: string): string | null {
  switch (window) {
    case 'hour':
      return timestamp(Date.parse(`${time.slice(0, 'YYYY-MM-DDTHH'.length)}:00:00.000Z`) + HOUR_MS);
    case 'day':
      return timestamp(Date.parse(`${time.slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`) + DAY_MS);
    case 'month':
      return nextMonth(Number(time.slice(0, 4)), Number(time.slice(5, 7)));
    case 'never':
      return null;
  }
}

function nextMonth(year: number, month: number): string {
  const [inYear, next] = month === 12 ? [year + 1, 1] : [year, month + 1];
  return `${String(inYear).padStart(4, '0')}-${String(next).padStart(2, '0')}-01T00:00:00.000Z`;
}
