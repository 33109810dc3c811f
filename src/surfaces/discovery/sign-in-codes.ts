import { createHash } from 'node:crypto';
import type { Clock, Random } from '#protocol/ports.ts';

/** How long a code is good for. */
const LIFETIME_MS = 60_000;
const CODE_BYTES = 32;
/** Codes at a time; the oldest gives way. */
const MAX_CODES = 16;

/**
 * Codes that are exchanged for a key, each once and within a minute: a link with one can be printed where the key itself would
 * stay in the history of a browser. Kept in memory, by their hashes.
 */
export class SignInCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #issued = new Map<string, { key: string; untilMs: number }>();

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A fresh code for a key, in base64url. */
  issue(key: string): string {
    const code = Buffer.from(this.#random.bytes(CODE_BYTES)).toString('base64url');
    const [oldest] = this.#issued.keys();
    if (oldest !== undefined && this.#issued.size >= MAX_CODES) this.#issued.delete(oldest);
    this.#issued.set(hashOf(code), { key, untilMs: this.#clock.monotonic() + LIFETIME_MS });
    return code;
  }

  /** The key of a code that was never exchanged and is still good; undefined otherwise. */
  redeem(code: string): string | undefined {
    const hash = hashOf(code);
    const found = this.#issued.get(hash);
    this.#issued.delete(hash);
    return found !== undefined && this.#clock.monotonic() <= found.untilMs ? found.key : undefined;
  }
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
