import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../outbound/fault.ts';
import { FIXED_LIMITS } from './config.ts';
import type { Connection } from './connection.ts';

export interface KeptOptions {
  server: string;
  open(): Promise<Connection>;
  /** Told of each new connection; what it does is part of opening it. */
  onOpen(connection: Connection): Promise<void>;
  deps: Pick<BridgeDeps, 'clock' | 'timers' | 'logger'>;
}

/**
 * One connection that is opened again whenever it is lost, with doubling waits while it fails. During a wait everybody is
 * refused at once: a server that crashes at every start costs its own callers only, and not one process per call.
 */
export class KeptConnection {
  readonly #options: KeptOptions;
  #connection: Connection | undefined;
  #attempt: Promise<Connection> | undefined;
  #lastFault: Fault | undefined;
  #retry: unknown;
  #waitMs: number = FIXED_LIMITS.restartMs.first;
  #isClosed = false;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  /** The open connection, or the one being opened. Rejects with a Fault. */
  async get(): Promise<Connection> {
    if (this.#isClosed) throw new Fault('upstream_unavailable', 'The gateway is shutting down.');
    if (this.#connection !== undefined) return this.#connection;
    if (this.#retry !== undefined && this.#lastFault !== undefined) throw this.#lastFault;
    return this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== undefined) this.#options.deps.timers.clearTimeout(this.#retry);
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
    this.#later(
      new Fault('upstream_unavailable', 'The server ended; it is started again shortly.', { reason: 'lost' }),
    );
  }

  #later(error: unknown): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    const { server, deps } = this.#options;
    this.#lastFault =
      error instanceof Fault
        ? error
        : new Fault('upstream_unavailable', 'The server does not behave as one.');
    deps.logger.warn(
      { server, err: error, wait_ms: this.#waitMs },
      'mcp server is not there; it is tried again',
    );
    this.#retry = deps.timers.setTimeout(() => {
      this.#retry = undefined;
      this.#connect().catch(() => undefined);
    }, this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, FIXED_LIMITS.restartMs.longest);
  }
}
