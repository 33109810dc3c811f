import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { CredentialOfCall, Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';

const WINDOW_MS = 60_000;
/** Addresses kept at a time; a flood from more of them costs no more memory. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  /** Monotonic milliseconds. */
  since: number;
}

export interface FailedLoginsDeps {
  clock: Clock;
  /** Answers 401 to one address in a minute, before the next ones are 429. */
  limit: number;
  knows: Gateway['knows'];
}

/**
 * Slows down whoever tries credentials: an address that was refused too often in a minute is told to wait, for as long as
 * what it sends is no good credential. Good ones from the same address pass, and no credential at all is no try.
 */
export class FailedLogins {
  readonly #deps: FailedLoginsDeps;
  readonly #failures = new LRUCache<string, Failures>({ max: MAX_ADDRESSES });

  constructor(deps: FailedLoginsDeps) {
    this.#deps = deps;
  }

  /** Throws `rate_limited` for one more bad credential of an address that was refused too often. */
  check({ socket }: IncomingMessage, credential: CredentialOfCall): void {
    if (credential.authorization === undefined || this.#failures.size === 0) return;
    const failures = this.#failures.get(socket.remoteAddress ?? '');
    if (failures === undefined || failures.count < this.#deps.limit) return;
    const waitMs = failures.since + WINDOW_MS - this.#deps.clock.monotonic();
    if (waitMs <= 0 || this.#deps.knows(credential)) return;
    const message = 'Too many bad credentials came from your address. Wait, and send a valid key.';
    throw new ProtocolError('rate_limited', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  /** A request of this address was answered with 401. */
  failed({ socket, headers }: IncomingMessage): void {
    if (headers.authorization === undefined && headers['sec-websocket-protocol'] === undefined) return;
    const address = socket.remoteAddress ?? '';
    const now = this.#deps.clock.monotonic();
    const before = this.#failures.get(address);
    const isOver = before === undefined || before.since + WINDOW_MS <= now;
    this.#failures.set(address, isOver ? { count: 1, since: now } : { ...before, count: before.count + 1 });
  }
}
