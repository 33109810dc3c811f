import type { Agent } from 'undici';
import type { Timers } from '../bridge.ts';
import { type AddressGuard, checkedLookup, TargetRefused } from './address-guard.ts';
import { transportFault } from './faults.ts';

export interface WebhookCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * How a call went. `refused`: the target may not be called; `failed`: no answer, for a reason in one word. A host that does not
 * resolve is a failure, because it may resolve later.
 */
export type WebhookOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | undefined }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

export interface WebhookClientOptions {
  guard: AddressGuard;
  timers: Timers;
}

/** A receiver only has to say that it got the call. */
const TOTAL_TIMEOUT_MS = 15_000;
/** What a receiver answers is read this far, to use its connection again, and thrown away. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** One receiver gets so many connections at a time; its name may stand for many tasks. */
const CONNECTIONS_PER_ORIGIN = 4;

/**
 * Calls URLs that callers gave: the target is checked at each call, the connection goes to a checked address, redirects are
 * answers and are not followed, time and size are bounded. Never rejects. undici is loaded with the first call.
 */
export class WebhookClient {
  readonly #guard: AddressGuard;
  readonly #timers: Timers;
  #opened: Promise<Opened> | undefined;

  constructor({ guard, timers }: WebhookClientOptions) {
    this.#guard = guard;
    this.#timers = timers;
  }

  async post({ url: text, headers, body }: WebhookCall, signal?: AbortSignal): Promise<WebhookOutcome> {
    const giveUp = new AbortController();
    const timer = this.#timers.setTimeout(() => giveUp.abort(), TOTAL_TIMEOUT_MS);
    const stop = () => giveUp.abort();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const { url } = await this.#guard.check(text);
      this.#opened ??= open(this.#guard);
      const { agent, request } = await this.#opened;
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body,
        signal: giveUp.signal,
      });
      const { statusCode: status } = answer;
      const retryAfterSeconds = secondsOf(answer.headers['retry-after']);
      // The status is the answer; a body that is too long or does not end changes nothing about it.
      await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal: giveUp.signal }).catch(() => undefined);
      return { kind: 'answered', status, retryAfterSeconds };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof TargetRefused ? error.cause : error;
      if (cause instanceof TargetRefused) {
        const { refusal: reason } = cause;
        return { kind: reason === 'unresolved' ? 'failed' : 'refused', reason };
      }
      return { kind: 'failed', reason: giveUp.signal.aborted ? 'timeout' : transportFault(error) };
    } finally {
      this.#timers.clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    await (await this.#opened)?.agent.destroy();
  }
}

interface Opened {
  agent: Agent;
  request: typeof import('undici').request;
}

async function open(guard: AddressGuard): Promise<Opened> {
  const { Agent: Dispatcher, request } = await import('./undici.ts');
  const agent = new Dispatcher({
    connections: CONNECTIONS_PER_ORIGIN,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: { timeout: 0, lookup: checkedLookup(guard) },
  });
  return { agent, request };
}

/** `Retry-After` in seconds; a date is not worth its trouble here. */
function secondsOf(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : undefined;
}
