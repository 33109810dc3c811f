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
