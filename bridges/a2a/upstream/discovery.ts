import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import type { AgentDescription } from '../../../src/upstream.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { HttpClient, HttpReply } from '../../outbound/http-client.ts';
import { cardUrls, type ReadCard, readCard } from './card.ts';
import { FIXED_LIMITS } from './config.ts';
import { readText } from './event-stream.ts';
import { Fault, faultOf, faultOfStatus, malformed } from './fault.ts';
import type { Pin, Target } from './interfaces.ts';
import { Backoff, Watchdog } from './watchdog.ts';

export interface DiscoveryOptions {
  route: string;
  cardUrl: string;
  pin: Pin;
  http: HttpClient;
  credentials(): Record<string, string>;
  deps: Pick<BridgeDeps, 'clock' | 'timers' | 'logger' | 'parseJson'>;
}

/** Finds the card, keeps the last good one, and asks again: by ETag when it is old, with back-off while there is none. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #stopped = new AbortController();
  readonly #backoff = new Backoff(FIXED_LIMITS.rediscoverMs.first, FIXED_LIMITS.rediscoverMs.longest);
  #card: (ReadCard & { readAt: number; etag: string | undefined }) | undefined;
  #attempt: Promise<void> | undefined;
  #retry: unknown;
  #isDistrusted = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  get description(): AgentDescription | undefined {
    return this.#card?.description;
  }

  /** Keeps looking until the card is found; never throws. */
  start(): void {
    this.#refresh().catch((error: unknown) => this.#later(faultOf(error)));
  }

  /**
   * The interface to use now. Without a card, all callers share one attempt and its Fault. An old card is good enough
   * while a fresh one is fetched.
   */
  async target(signal: AbortSignal): Promise<Target> {
    if (this.#card === undefined) await abortable(this.#refresh(), signal);
    else if (this.#isOld(this.#card.readAt)) void this.#refreshQuietly();
    if (this.#card === undefined) throw malformed('card', 'The agent has no card.');
    return this.#card.target;
  }

  /** Like `target`, for a new turn: a distrusted card is used only when there is no fresh one to be had. */
  async targetOfTurn(signal: AbortSignal): Promise<Target> {
    if (this.#isDistrusted) await abortable(this.#refreshQuietly(), signal);
    return this.target(signal);
  }

  /** The agent did not behave as its card says: the next turn asks for a fresh one first. */
  distrust(): void {
    this.#isDistrusted = this.#card !== undefined;
  }

  close(): void {
    this.#stopped.abort(new Fault('upstream_unavailable', 'The gateway is shutting down.'));
    if (this.#retry !== undefined) this.#options.deps.timers.clearTimeout(this.#retry);
  }

  #isOld(readAt: number): boolean {
    return this.#options.deps.clock.monotonic() - readAt > FIXED_LIMITS.cardRefreshMs;
  }

  #refreshQuietly(): Promise<void> {
    return this.#refresh().catch((error: unknown) => {
      const { route, deps } = this.#options;
      deps.logger.warn(
        { route, reason: faultOf(error).message },
        'agent card not refreshed; the last one stays',
      );
    });
  }

  #refresh(): Promise<void> {
    this.#attempt ??= this.#fetch().finally(() => {
      this.#attempt = undefined;
      this.#isDistrusted = false;
    });
    return this.#attempt;
  }

  #later(fault: Fault): void {
    if (this.#stopped.signal.aborted || this.#card !== undefined) return;
    const { route, deps } = this.#options;
    const retryMs = this.#backoff.next();
    deps.logger.warn({ route, reason: fault.message, retry_ms: retryMs }, 'agent card not found');
    this.#retry = deps.timers.setTimeout(() => this.start(), retryMs);
  }

  async #fetch(): Promise<void> {
    const urls = cardUrls(this.#options.cardUrl);
    for (const [index, url] of urls.entries()) {
      const isLast = index === urls.length - 1;
      if (await this.#fetchFrom(url, isLast)) return;
    }
  }

  /** False when there is no card here and another place is left to look. */
  async #fetchFrom(url: URL, isLast: boolean): Promise<boolean> {
    const watchdog = new Watchdog(this.#stopped.signal, this.#options.deps.timers);
    watchdog.watch('card', FIXED_LIMITS.cardTimeoutMs);
    try {
      const reply = await this.#get(url, watchdog.signal);
      try {
        if (reply.status === 404 && !isLast) return false;
        await this.#accept(reply, url);
        return true;
      } finally {
        reply.release('done');
      }
    } finally {
      watchdog.close();
    }
  }

  #get(url: URL, signal: AbortSignal): Promise<HttpReply> {
    const etag = this.#card?.etag;
    return this.#options.http.request({
      method: 'GET',
      url,
      lane: 'control',
      signal,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        [A2A_VERSION_HEADER.toLowerCase()]: A2A_PROTOCOL_VERSION,
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...this.#options.credentials(),
      },
    });
  }

  async #accept(reply: HttpReply, url: URL): Promise<void> {
    const readAt = this.#options.deps.clock.monotonic();
    if (reply.status === 304 && this.#card !== undefined) {
      this.#card.readAt = readAt;
      return;
    }
    if (reply.status !== 200) throw faultOfStatus(reply.status, reply.header);
    const raw = this.#parse(await readText(reply.body, FIXED_LIMITS.maxCardBytes));
    this.#card = { ...readCard(raw, url, this.#options.pin), readAt, etag: reply.header('etag') };
    this.#backoff.reset();
  }

  #parse(text: string) {
    try {
      return this.#options.deps.parseJson(text);
    } catch {
      throw malformed('card', 'The agent card is no clean JSON.');
    }
  }
}

/** The caller may leave; the shared attempt goes on for the others. */
function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
