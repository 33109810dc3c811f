import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../wire/faults.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { FIXED_LIMITS } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';
import { GIVEN_UP } from './faults.ts';

interface Entry {
  opening: Promise<Connection>;
  users: number;
  usedAt: number;
  idle: unknown;
  /** Who is asked what the server asks on this connection. */
  peer: { current: ServerPeer | undefined; asked: number };
}

export interface LeaseOptions {
  /** Several calls use the connection at once. Default: one. */
  isShared?: boolean;
  /** Longest wait for a connection that is free. Default: none, who finds none is refused at once. */
  waitMs?: number;
  /** Ends the wait. */
  signal?: AbortSignal;
}

export interface Lease {
  connection: Connection;
  release(): void;
}

/**
 * One connection per actor and Session, because nothing on the wire names the call that a server's question belongs to. One
 * call at a time uses it, and is asked. Unused ones are closed after a while, or when another needs the place.
 */
export class SessionConnections {
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<() => void>();
  readonly #open: (peer: ServerPeer, key: string) => Promise<Connection>;
  readonly #max: number;
  readonly #deps: Pick<BridgeDeps, 'clock' | 'timers'>;

  constructor(
    open: (peer: ServerPeer, key: string) => Promise<Connection>,
    max: number,
    deps: Pick<BridgeDeps, 'clock' | 'timers'>,
  ) {
    this.#open = open;
    this.#max = max;
    this.#deps = deps;
  }

  /** Whether nobody uses the connection of this key; true when there is none. */
  isFree(key: string): boolean {
    return (this.#entries.get(key)?.users ?? 0) === 0;
  }

  /** How many connections are in use, of those whose keys are meant. */
  inUse(isMeant: (key: string) => boolean): number {
    return [...this.#entries].filter(([key, { users }]) => users > 0 && isMeant(key)).length;
  }

  /** On how many connections the server waits for an answer, of those whose keys are meant. */
  asking(isMeant: (key: string) => boolean): number {
    return [...this.#entries].filter(([key, { peer }]) => peer.asked > 0 && isMeant(key)).length;
  }

  /**
   * The connection of a key, which is asked for anew after each wait: undefined while none may be taken. A shared connection
   * is used by several calls, none of which is asked. Rejects with a Fault, and with what `keyOf` throws.
   */
  async lease(
    keyOf: string | (() => string | undefined),
    peer: ServerPeer,
    { isShared = false, waitMs = 0, signal }: LeaseOptions = {},
  ): Promise<Lease> {
    const untilMs = this.#deps.clock.monotonic() + waitMs;
    let key = typeof keyOf === 'string' ? keyOf : keyOf();
    while (key === undefined || !this.#hasRoomFor(key)) {
      await this.#change(untilMs - this.#deps.clock.monotonic(), signal);
      key = typeof keyOf === 'string' ? keyOf : keyOf();
    }
    return this.#take(key, peer, isShared);
  }

  async #take(key: string, peer: ServerPeer, isShared: boolean): Promise<Lease> {
    const entry = this.#entries.get(key) ?? this.#make(key);
    if (entry.users > 0 && !isShared)
      throw new Fault(
        'upstream_unavailable',
        'Another call of this Session runs on the server. Retry later.',
      );
    entry.users += 1;
    entry.peer.current = peer;
    this.#deps.timers.clearTimeout(entry.idle);
    try {
      const connection = await entry.opening;
      return { connection, release: () => this.#release(key, entry) };
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  #hasRoomFor(key: string): boolean {
    if (this.#entries.has(key) || this.#entries.size < this.#max) return true;
    return [...this.#entries.values()].some(({ users }) => users === 0);
  }

  /** Resolves when a connection was given back, or is asked on. Rejects after that time, and when nobody waits any more. */
  async #change(inMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw GIVEN_UP;
    if (inMs <= 0) throw ALL_IN_USE;
    let stop: () => void = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const leave = () => reject(GIVEN_UP);
        const timer = this.#deps.timers.setTimeout(() => reject(ALL_IN_USE), inMs);
        this.#waiting.add(resolve);
        signal?.addEventListener('abort', leave, { once: true });
        stop = () => {
          this.#waiting.delete(resolve);
          this.#deps.timers.clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
        };
      });
    } finally {
      stop();
    }
  }

  /** In the order in which they came. */
  #changed(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((key) => this.#drop(key)));
  }

  /** In its place at once, so that two calls that come together do not take the same. */
  #make(key: string): Entry {
    const isFull = this.#entries.size >= this.#max;
    const roomMade = isFull ? this.#drop(this.#longestIdle()) : Promise.resolve();
    const peer: Entry['peer'] = { current: undefined, asked: 0 };
    const entry: Entry = {
      opening: roomMade.then(() => this.#open(this.#delegate(peer), key)),
      users: 0,
      usedAt: this.#deps.clock.monotonic(),
      idle: undefined,
      peer,
    };
    this.#entries.set(key, entry);
    void entry.opening.then(
      (connection) => connection.closed.then(() => this.#forget(key, entry)),
      () => this.#forget(key, entry),
    );
    return entry;
  }

  #release(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0 || this.#entries.get(key) !== entry) return;
    this.#changed();
    entry.peer.current = undefined;
    entry.usedAt = this.#deps.clock.monotonic();
    entry.idle = this.#deps.timers.setTimeout(() => void this.#drop(key), FIXED_LIMITS.connectionIdleMs);
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    this.#deps.timers.clearTimeout(entry.idle);
    this.#changed();
  }

  #longestIdle(): string {
    const idle = [...this.#entries].filter(([, { users }]) => users === 0);
    const [first] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (first !== undefined) return first[0];
    throw ALL_IN_USE;
  }

  async #drop(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#forget(key, entry);
    const connection = await entry.opening.catch(() => undefined);
    await connection?.close();
  }

  /** What a server says between two calls belongs to nobody. */
  #delegate(peer: Entry['peer']): ServerPeer {
    return {
      asked: (method, params, signal) => {
        peer.asked += 1;
        this.#changed();
        return (peer.current ?? NOBODY).asked(method, params, signal).finally(() => {
          peer.asked -= 1;
        });
      },
      notified: (method, params) => peer.current?.notified(method, params),
    };
  }
}

const ALL_IN_USE = new Fault(
  'upstream_unavailable',
  'All connections to the server are in use. Retry later.',
  {
    reason: 'max_connections',
  },
);

/** Answers a server that asks while nobody is there. */
export const NOBODY: ServerPeer = {
  asked: (method) =>
    Promise.reject(new RpcError(MCP_ERRORS.method_not_found, `Nobody can be asked: ${method}`)),
  notified: () => undefined,
};
