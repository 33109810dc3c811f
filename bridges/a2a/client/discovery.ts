import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { coveredPart } from '#cards/payload-forms.ts';
import { verifyCard } from '#cards/verify-card.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { timestamp } from '#protocol/ports.ts';
import type { AgentDescription } from '#protocol-client.ts';
import type { CardVerdict } from '#resources/agent/schema.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault, TRANSPORT_MESSAGES, unavailable } from '../../wire/faults.ts';
import { type HttpClient, type HttpReply, readText } from '../../wire/http-client.ts';
import { Watchdog } from '../../wire/turn.ts';
import { Backoff, unlessAborted } from '../../wire/waits.ts';
import {
  cardKeys,
  cardUrls,
  hashOf,
  type KeptCard,
  type Pin,
  type ReadCard,
  readCard,
  readKept,
  type Target,
  writeKept,
} from './card.ts';
import { FIXED_LIMITS } from './config.ts';
import { faultOf, faultOfStatus } from './faults.ts';
import { cut, MAX_NAME_LENGTH } from './record.ts';

interface DiscoveryOptions {
  route: string;
  cardUrl: string;
  pin: Pin;
  /** Keys that may sign the card; undefined: those its origin publishes. */
  pinnedKeys: readonly JsonObject[] | undefined;
  /** A card without a good signature is not used. */
  needsSignature: boolean;
  http: HttpClient;
  credentials(): Promise<Record<string, string>>;
  deps: Pick<BridgeDeps, 'clock' | 'timers' | 'logger' | 'parseJson' | 'keptCards' | 'redact'>;
}

/** The card in use. `readAt`: monotonic; undefined for one kept from an earlier start. */
interface HeldCard extends ReadCard {
  kept: KeptCard;
  /** As it came, which is what its signature is over. */
  text: string;
  readAt: number | undefined;
  /** How far the clock of who answered is from ours, in milliseconds; undefined where it says no time. */
  skewMs?: number | undefined;
}

/**
 * Finds the card, judges its signature, keeps the last good one also over restarts, and asks again: by ETag when it is old,
 * with back-off while the agent does not answer.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #stopped = new AbortController();
  readonly #backoff = new Backoff(FIXED_LIMITS.rediscoverMs.first, FIXED_LIMITS.rediscoverMs.longest);
  #card: HeldCard | undefined;
  #isCurrent = false;
  #attempt: Promise<void> | undefined;
  #timer: unknown;
  #isDistrusted = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#card = this.#restored();
    this.#isDistrusted = this.#card !== undefined;
  }

  get description(): AgentDescription | undefined {
    if (this.#card === undefined) return undefined;
    const { description, kept, skewMs } = this.#card;
    const { url, fetchedAt, signature, sha256 } = kept;
    const shownUrl = String(this.#options.deps.redact(url).value);
    return {
      ...description,
      ...(skewMs !== undefined && { skewMs }),
      card: { url: shownUrl, fetchedAt, sha256, signature, isCurrent: this.#isCurrent },
    };
  }

  /** The interface of the card in use; undefined while there is none. */
  get currentTarget(): Target | undefined {
    return this.#card?.target;
  }

  /** Looks until the card is found, and looks again while the gateway runs; never throws. */
  start(): void {
    this.#refresh().then(
      () => this.#again(FIXED_LIMITS.cardRefreshMs),
      (error: unknown) => this.#later(faultOf(error)),
    );
  }

  /** Reads the card once. Rejects with a Fault. */
  reach(): Promise<void> {
    return this.#refresh().catch((error: unknown) => {
      throw faultOf(error);
    });
  }

  /**
   * The interface to use now. Without a card, all callers share one attempt and its Fault. An old card is good enough
   * while a fresh one is fetched.
   */
  async target(signal: AbortSignal): Promise<Target> {
    if (this.#card === undefined) await unlessAborted(this.#refresh(), signal);
    else if (this.#isOld(this.#card)) void this.#refreshQuietly();
    if (this.#card === undefined) throw unavailable('card', 'The agent has no card.');
    return this.#card.target;
  }

  /** Like `target`, for a new turn: a distrusted card is used only when there is no fresh one to be had. */
  async targetOfTurn(signal: AbortSignal): Promise<Target> {
    if (this.#isDistrusted) await unlessAborted(this.#refreshQuietly(), signal);
    return this.target(signal);
  }

  /** The agent did not behave as its card says: the next turn asks for a fresh one first. */
  distrust(): void {
    this.#isDistrusted = this.#card !== undefined;
  }

  close(): void {
    this.#stopped.abort(new Fault('upstream_unavailable', 'The gateway is shutting down.'));
    if (this.#timer !== undefined) this.#options.deps.timers.clearTimeout(this.#timer);
  }

  #isOld({ readAt }: HeldCard): boolean {
    return readAt === undefined || this.#options.deps.clock.monotonic() - readAt > FIXED_LIMITS.cardRefreshMs;
  }

  #refreshQuietly(): Promise<void> {
    return this.#refresh().catch((error: unknown) => {
      const { route, deps } = this.#options;
      const fault = faultOf(error);
      const what = `agent card ${whatHappened(fault)}; the last one stays`;
      deps.logger.warn({ route, reason: fault.message }, what);
    });
  }

  #refresh(): Promise<void> {
    this.#attempt ??= this.#fetch()
      .catch((error: unknown) => {
        this.#isCurrent = false;
        throw error;
      })
      .finally(() => {
        this.#attempt = undefined;
        this.#isDistrusted = false;
      });
    return this.#attempt;
  }

  #later(fault: Fault): void {
    const { route, deps } = this.#options;
    if (this.#stopped.signal.aborted) return;
    const retryMs = this.#backoff.next();
    const what = `agent card ${whatHappened(fault)}; ${this.#card === undefined ? 'there is none' : 'the last one stays'}`;
    deps.logger.warn({ route, reason: fault.message, retry_ms: retryMs }, what);
    this.#again(retryMs);
  }

  #again(waitMs: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#timer = this.#options.deps.timers.setTimeout(() => this.start(), waitMs);
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
        await this.#accept(reply, url, watchdog.signal);
        return true;
      } finally {
        reply.release('done');
      }
    } finally {
      watchdog.close();
    }
  }

  async #get(url: URL, signal: AbortSignal): Promise<HttpReply> {
    const etag =
      this.#card?.readAt === undefined && this.#card?.kept.redacted ? undefined : this.#card?.kept.etag;
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
        ...(await this.#options.credentials()),
      },
    });
  }

  /** A card that has not changed is judged again: its key may have been withdrawn. */
  async #accept(reply: HttpReply, url: URL, signal: AbortSignal): Promise<void> {
    const unchanged = reply.status === 304 ? this.#card : undefined;
    if (unchanged === undefined && reply.status !== 200) throw faultOfStatus(reply.status, reply.header);
    const text = unchanged?.text ?? (await readText(reply.body, FIXED_LIMITS.maxCardBytes));
    const { clock, logger, redact } = this.#options.deps;
    const given = unchanged === undefined ? reply.header('etag') : unchanged.kept.etag;
    const etag = given === undefined || redact(given).hit ? undefined : given;
    const card = this.#parse(text);
    const signature = await this.#judge(card, url, signal);
    const found = { url: url.href, etag, fetchedAt: timestamp(clock.now()), sha256: hashOf(text), signature };
    const kept = { configured: this.#options.cardUrl, ...found, ...this.#withoutSecrets(card, text) };
    const before = this.#card?.kept;
    this.#card = { ...this.#held(kept, text, clock.monotonic()), skewMs: skewOf(reply, clock.now()) };
    this.#isCurrent = true;
    this.#backoff.reset();
    if (signature.status !== 'verified' && signature.status !== 'unsigned')
      logger.warn({ route: this.#options.route, verdict: signature.status }, 'agent card is not verified');
    if (
      before?.sha256 !== kept.sha256 ||
      before.text !== kept.text ||
      before.signature.status !== signature.status
    )
      await this.#keep(kept);
  }

  #judge(card: JsonObject, cardUrl: URL, signal: AbortSignal): Promise<CardVerdict> {
    const { pinnedKeys: pinned, http, deps } = this.#options;
    const findKeys = cardKeys({ pinned, cardUrl, http, parseJson: deps.parseJson, signal });
    return verifyCard(card, findKeys, deps.clock.now());
  }

  /** Throws Fault for a card that cannot be used, or may not be without a good signature. */
  #held(kept: KeptCard, text: string, readAt: number | undefined): HeldCard {
    const { pin, needsSignature, deps } = this.#options;
    const { signature } = kept;
    const card = this.#parse(text);
    if (needsSignature && signature.status !== 'verified')
      throw unavailable('card_signature', `The signature of the agent card is ${signature.status}.`);
    const usable = needsSignature && signature.covers !== null ? coveredPart(card, signature.covers) : card;
    const clean = deps.redact(usable).value;
    const { target, description } = readCard(usable, new URL(kept.url), pin, clean);
    const raw = usable === card ? clean : deps.redact(card).value;
    return { target, description: { ...description, raw }, kept, text, readAt };
  }

  /** An agent may repeat what it was called with: neither a file nor a reader is to learn our credential from its card. */
  #withoutSecrets(card: JsonObject, text: string): Pick<KeptCard, 'text' | 'redacted'> {
    const { route, deps } = this.#options;
    const { value, hit } = deps.redact(card);
    if (!hit) return { text, redacted: false };
    if (this.#card?.kept.sha256 !== hashOf(text))
      deps.logger.warn(
        { route },
        'the agent card holds secrets, perhaps our own credential; they are taken out',
      );
    return { text: JSON.stringify(value), redacted: true };
  }

  /** The card of an earlier start; it is distrusted until the agent answers. */
  #restored(): HeldCard | undefined {
    const { route, cardUrl, deps } = this.#options;
    const record = deps.keptCards.load(route);
    const kept = record === undefined ? undefined : readKept(record, deps.parseJson);
    if (kept === undefined || kept.configured !== cardUrl) return undefined;
    try {
      return this.#held(kept, kept.text, undefined);
    } catch (error) {
      deps.logger.warn({ route, reason: faultOf(error).message }, 'the kept agent card is not used');
      return undefined;
    }
  }

  /** A card that cannot be kept is still good for this run. */
  async #keep(kept: KeptCard): Promise<void> {
    const { route, deps } = this.#options;
    try {
      await deps.keptCards.save(route, writeKept(kept));
    } catch (error) {
      deps.logger.warn({ route, err: error }, 'the agent card could not be kept for a restart');
    }
  }

  #parse(text: string): JsonObject {
    let card: ReturnType<BridgeDeps['parseJson']>;
    try {
      card = this.#options.deps.parseJson(text);
    } catch {
      throw unavailable('card', 'The agent card is no clean JSON.');
    }
    if (!isObject(card)) throw unavailable('card', 'The agent card is no JSON object.');
    return card;
  }
}

/** A cache tells when it got the answer, and how long ago that was. Spec: RFC 9111, section 5.1. */
function skewOf({ header }: HttpReply, nowMs: number): number | undefined {
  const toldMs = Date.parse(header('date') ?? '') + Number(header('age') ?? 0) * 1_000;
  return Number.isNaN(toldMs) ? undefined : toldMs - nowMs;
}

/** A card that came and is no good is another matter for the operator than one that is not there. */
function whatHappened({ code, details }: Fault): string {
  const { http_status: status, reason } = details;
  if (status === 404 || status === 410) return 'not found';
  const isUnread = status !== undefined || code === 'deadline_exceeded' || reason === 'credential';
  return isUnread || Object.hasOwn(TRANSPORT_MESSAGES, String(reason)) ? 'not read' : 'refused';
}

interface Learned {
  because: string;
  /** Monotonic. */
  until: number;
  /** RFC 3339; the same time. */
  untilTime: string;
}

/**
 * Interfaces that refused to stream although their card promises it. What was learned holds for minutes: the agent may have been
 * in the middle of something, and a card that it corrects meanwhile is read anyway.
 */
export class LearnedStreaming {
  readonly #route: string;
  readonly #deps: Pick<BridgeDeps, 'clock' | 'logger' | 'redact'>;
  readonly #refused = new WeakMap<Target, Learned>();
  /** Tasks whose answers are not streamed, and until when (monotonic); the oldest first. */
  readonly #unstreamed = new Map<string, number>();

  constructor(route: string, deps: Pick<BridgeDeps, 'clock' | 'logger' | 'redact'>) {
    this.#route = route;
    this.#deps = deps;
  }

  isRefused(target: Target): boolean {
    return this.#current(target) !== undefined;
  }

  /** `said`: what the agent answered to the message that it was to stream, and took when it was not. */
  refused(target: Target, said: string): void {
    if (this.isRefused(target)) return;
    const { clock, logger, redact } = this.#deps;
    const because = cut(String(redact(said).value), MAX_NAME_LENGTH);
    const forMs = FIXED_LIMITS.learnedMs;
    const untilTime = timestamp(clock.now() + forMs);
    this.#refused.set(target, { because, until: clock.monotonic() + forMs, untilTime });
    const facts = { route: this.#route, because, until: untilTime };
    logger.warn(
      facts,
      'the agent does not stream although its card says so; its tasks are polled for a while',
    );
  }

  /**
   * The stream of an answer was refused after the message may have been taken. That says nothing about the agent, but the next
   * answer of this task had better not be streamed: some SDKs lose what is done for such a message, and ask the same again.
   */
  answerRefused(taskId: string): void {
    this.#unstreamed.delete(taskId);
    this.#unstreamed.set(taskId, this.#deps.clock.monotonic() + FIXED_LIMITS.learnedMs);
    for (const oldest of this.#unstreamed.keys()) {
      if (this.#unstreamed.size <= FIXED_LIMITS.learnedTasks) return;
      this.#unstreamed.delete(oldest);
    }
  }

  mayStreamAnswer(taskId: string): boolean {
    return this.#deps.clock.monotonic() >= (this.#unstreamed.get(taskId) ?? Number.NEGATIVE_INFINITY);
  }

  /** What the description of the agent says of it; nothing while the card holds. */
  describe(target: Target): Pick<AgentDescription, 'streaming' | 'streamingRefused'> | undefined {
    const learned = this.#current(target);
    if (learned === undefined) return undefined;
    const { because, untilTime: until } = learned;
    return { streaming: false, streamingRefused: { because, until } };
  }

  #current(target: Target): Learned | undefined {
    const learned = this.#refused.get(target);
    return learned !== undefined && this.#deps.clock.monotonic() < learned.until ? learned : undefined;
  }
}
