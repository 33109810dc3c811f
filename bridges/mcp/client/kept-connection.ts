import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../wire/faults.ts';
import { FIXED_LIMITS } from './config.ts';
import type { Connection } from './connection.ts';

export interface KeptOptions {
  server: string;
  open(): Promise<Connection>;
  /** Called for each new connection; what it does is part of opening it. */
  onOpen(connection: Connection): Promise<void>;
  /** Longest wait of whoever needs the connection while it is opened again. */
  waitMs: number;
  deps: Pick<BridgeDeps, 'clock' | 'timers' | 'logger'>;
}

/**
 * One connection that is opened again whenever it is lost, with doubling waits while it fails. Whoever needs it meanwhile
 * waits for the next attempt, or is refused at once where that comes too late: a server that crashes at every start costs its
 * own callers only, and not one process per call.
 */
export class KeptConnection {
  readonly #options: KeptOptions;
  #connection: Connection | undefined;
  #attempt: Promise<Connection> | undefined;
  #lastFault: Fault | undefined;
  #retry: { timer: unknown; atMs: number; begun: Promise<void>; begin(): void } | undefined;
  #waitMs: number = FIXED_LIMITS.restartMs.first;
  #isClosed = false;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  /** The open connection, or one that is opened within this time. Rejects with a Fault. */
  async get(waitMs = this.#options.waitMs): Promise<Connection> {
    const untilMs = this.#options.deps.clock.monotonic() + waitMs;
    for (;;) {
      if (this.#isClosed) throw new Fault('upstream_unavailable', 'The gateway is shutting down.');
      if (this.#connection !== undefined) return this.#connection;
      const retry = this.#retry;
      if (retry === undefined) await this.#connect().catch(() => undefined);
      else if (retry.atMs <= untilMs) await retry.begun;
      else throw this.#lastFault ?? NO_SERVER;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.deps.timers.clearTimeout(this.#retry?.timer);
    this.#retry?.begin();
    const attempt = await this.#attempt?.catch(() => undefined);
    await (this.#connection ?? attempt)?.close();
  }

  #connect(): Promise<Connection> {
    this.#attempt ??= this.#open()
      .catch((error: unknown) => {
        this.#later(error);
        throw error;
      })
      .finally(() => {
        this.#attempt = undefined;
      });
    return this.#attempt;
  }

  async #open(): Promise<Connection> {
    const { open, onOpen, deps } = this.#options;
    const connection = await open();
    const openedAt = deps.clock.monotonic();
    try {
      await onOpen(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connection = connection;
    void connection.closed.then(() => this.#lost(openedAt));
    return connection;
  }

  #lost(openedAt: number): void {
    this.#connection = undefined;
    if (this.#isClosed) return;
    const livedMs = this.#options.deps.clock.monotonic() - openedAt;
    if (livedMs > FIXED_LIMITS.restartMs.longest) this.#waitMs = FIXED_LIMITS.restartMs.first;
    // One that has worked for a while is opened again at once; one that ends soon after its start waits longer each time.
    this.#later(ENDED, livedMs >= this.#waitMs ? 0 : this.#waitMs);
  }

  #later(error: unknown, inMs = this.#waitMs): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    const { server, deps } = this.#options;
    this.#lastFault = error instanceof Fault ? error : NO_SERVER;
    deps.logger.warn({ server, err: error, wait_ms: inMs }, 'mcp server is not there; it is tried again');
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const timer = deps.timers.setTimeout(() => {
      this.#retry = undefined;
      this.#connect().catch(() => undefined);
      begin();
    }, inMs);
    this.#retry = { timer, atMs: deps.clock.monotonic() + inMs, begun, begin };
    this.#waitMs = Math.min(this.#waitMs * 2, FIXED_LIMITS.restartMs.longest);
  }
}

const ENDED = new Fault('upstream_unavailable', 'The server ended; it is started again shortly.', {
  reason: 'lost',
});
const NO_SERVER = new Fault('upstream_unavailable', 'The server does not behave as one.');
