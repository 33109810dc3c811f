import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';

/** How long a request waits for a node that decides. A take-over takes less. */
export const WAIT_MS = 10_000;
/** Between two tries of one request; news of another owner come at once. */
const RETRY_MS = 100;
/** A request that comes back waits for news each time; it grows by a header each time, too. */
const MAX_LAPS = 20;
const RETRY_AFTER_S = 1;

/** What can be under way at a node. */
type UnderWay = Set<{ destroy(): unknown }>;

/** What is known of the way to an owner: a network that loses all that is sent says nothing. */
export interface Way {
  /** How often in a row the owner did not say that it is there. */
  silences: number;
  /** It is being asked, once for all who wait. */
  asking: Promise<void> | undefined;
}

const newWay = (): Way => ({ silences: 0, asking: undefined });

/** Nodes of which one decides at a time. */
export interface Destination {
  /** Origin of the one that decides; undefined while it is not known. */
  owner: URL | undefined;
  way: Way;
  /** What is under way at the owner; cut when another one decides. */
  readonly underWay: UnderWay;
  /** Called when another owner is known. */
  readonly waiting: Set<() => void>;
}

/** The owner that a request is tried at. */
export interface Target {
  owner: URL;
  way: Way;
  underWay: UnderWay;
}

/** Who decides for what, what is under way there, and what waits for news. */
export class Destinations {
  readonly #deps: { clock: Pick<Clock, 'monotonic'>; timers: Timers };
  readonly #byName = new Map<string, Destination>();
  #isClosed = false;

  constructor(deps: { clock: Pick<Clock, 'monotonic'>; timers: Timers }) {
    this.#deps = deps;
  }

  named(name: string): Destination {
    const known = this.#byName.get(name) ?? {
      owner: undefined,
      way: newWay(),
      underWay: new Set(),
      waiting: new Set(),
    };
    this.#byName.set(name, known);
    return known;
  }

  /** Says who decides now. What is under way at another one is cut: it may never be answered. */
  ownerIs(url: string | undefined, name: string): void {
    const destination = this.named(name);
    const next = url === undefined ? undefined : new URL(url);
    if (next?.href === destination.owner?.href) return;
    destination.owner = next;
    destination.way = newWay();
    for (const each of [...destination.underWay]) each.destroy();
    for (const wake of [...destination.waiting]) wake();
  }

  /**
   * Tries until it is over, or nobody decides for too long; then it rejects with `service_unavailable`.
   * @param laps how often the call went through this node already: nodes that heard of a take-over at other times send it to each other
   */
  async untilOver(
    destination: Destination,
    client: { destroyed: boolean },
    laps: number,
    attempt: (target: Target) => Promise<boolean>,
  ): Promise<void> {
    if (laps > MAX_LAPS)
      throw unavailable('The nodes of this gateway do not agree yet on who decides. Send it again.');
    if (laps > 0) await this.#news(destination);
    const { clock } = this.#deps;
    for (const untilMs = clock.monotonic() + WAIT_MS; !client.destroyed; ) {
      const { owner, way, underWay } = destination;
      if (owner !== undefined && (await attempt({ owner, way, underWay }))) return;
      // Behind a close nobody is waited for.
      if (this.#isClosed || clock.monotonic() >= untilMs)
        throw unavailable('No node decides for this gateway at the moment. Send the request again.');
      await this.#news(destination);
    }
  }

  /** Resolves when another owner is known, or after a while. */
  #news({ waiting }: Destination): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        stop();
        waiting.delete(wake);
        resolve();
      };
      const stop = this.#deps.timers.after(RETRY_MS, wake);
      waiting.add(wake);
    });
  }

  /** Nothing waits from here on. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#byName.values()) for (const wake of [...waiting]) wake();
  }

  /** Cuts what is under way. */
  cut(): void {
    for (const { underWay } of this.#byName.values()) for (const each of [...underWay]) each.destroy();
  }
}

export function unavailable(message: string): ProtocolError {
  return new ProtocolError('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER_S });
}
