import type { Random } from '#protocol/ports.ts';
import type { Timers } from '../../bridge.ts';
import { pause, unlessAborted } from '../../wire/waits.ts';

/** Bytes of a secret that nobody guesses. */
const SECRET_BYTES = 32;

/**
 * Where an agent may say that a task went on, one address for each turn. A hint is no news: whoever knows the address may send one,
 * and it may be late or lost, so nothing of it is read, and the task is asked for. Spec: A2A 1.0, 4.3.
 */
export class Hints {
  readonly #baseUrl: () => string | undefined;
  readonly #random: Random;
  readonly #prefix: string;
  readonly #open = new Map<string, Hint>();

  /**
   * `baseUrl`: what secrets are appended to; undefined where no agent can reach the gateway. `partition`: with several of them each secret
   * names the one that it is known in, `p0003.`.
   */
  constructor(baseUrl: () => string | undefined, random: Random, partition?: string) {
    this.#prefix = partition === undefined ? '' : `p${partition}.`;
    this.#baseUrl = baseUrl;
    this.#random = random;
  }

  /** The address of a turn; whoever opens it closes it. */
  open(): Hint | undefined {
    const baseUrl = this.#baseUrl();
    if (baseUrl === undefined) return undefined;
    const secret = this.#prefix + Buffer.from(this.#random.bytes(SECRET_BYTES)).toString('base64url');
    const hint = new Hint(`${baseUrl}/${secret}`, () => this.#open.delete(secret));
    this.#open.set(secret, hint);
    return hint;
  }

  /** One that comes after the end of its turn is as welcome as any, so that its agent does not send it again. */
  arrived(secret: string): void {
    this.#open.get(secret)?.arrived();
  }
}

/** The hints of one turn. */
export class Hint {
  readonly url: string;
  readonly close: () => void;
  #hasArrived = false;
  #isNew = false;
  #wake: () => void = () => undefined;

  constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }

  /** The agent has found the address, so that it need not be asked as often. */
  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  arrived(): void {
    this.#hasArrived = true;
    this.#isNew = true;
    this.#wake();
  }

  /** Waits for so long, or until a hint comes after `leastMs`, which keeps a flood of them from being one of questions. */
  async pause(ms: number, leastMs: number, timers: Timers, signal: AbortSignal): Promise<void> {
    await pause(Math.min(ms, leastMs), timers, signal);
    if (!this.#isNew) await this.#hinted(ms - leastMs, timers, signal);
    this.#isNew = false;
  }

  #hinted(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
    let timer: unknown;
    const over = new Promise<void>((resolve) => {
      timer = timers.setTimeout(resolve, Math.max(0, ms));
      this.#wake = resolve;
    });
    return unlessAborted(over, signal).finally(() => timers.clearTimeout(timer));
  }
}
