import { timestamp } from '#protocol/ports.ts';
import type { AgentDescription } from '#protocol-client.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { Target } from './card.ts';
import { FIXED_LIMITS } from './config.ts';
import { cut, MAX_NAME_LENGTH } from './record.ts';

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

  /** What `describe` tells of it; nothing while the card holds. */
  told(target: Target): Pick<AgentDescription, 'streaming' | 'streamingRefused'> | undefined {
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
