import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '../../../mappings/acp/json-shape.ts';
import { AgentConnection } from './connection.ts';
import { gone } from './faults.ts';
import { waysBack } from './ways-back.ts';
import type { AgentSettings } from './wire.ts';

/**
 * The one running agent of a route: started by the first turn, shared by all sessions, stopped when nothing ran for a while,
 * started again when it died. A thousand sessions are one process.
 */
export class AgentPool {
  /** What the agent said of itself when it was last started, without secrets that it repeated. */
  initialized: JsonObject = {};
  readonly #settings: AgentSettings;
  readonly #closing = new Set<Promise<void>>();
  #open: Promise<AgentConnection> | undefined;
  #users = 0;
  #idle: unknown;
  #isClosed = false;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
  }

  /** Runs with the agent started; it is not stopped meanwhile. Throws Fault. */
  async use<T>(work: (connection: AgentConnection) => Promise<T>): Promise<T> {
    this.#users += 1;
    this.#settings.deps.timers.clearTimeout(this.#idle);
    try {
      return await work(await this.#connection());
    } finally {
      this.#users -= 1;
      this.rest();
    }
  }

  /**
   * Lets go of a session that is to go on in another connection, because many agents refuse one that is open already: it is closed
   * where the agent offers that, else the agent is stopped. False where it has to go on here: its prompt is not answered yet, the
   * agent takes up no session again, or works for others and cannot be stopped.
   */
  async release(sessionId: string): Promise<boolean> {
    const open = await this.#open?.catch(() => undefined);
    const session = open?.sessions.get(sessionId);
    if (open !== undefined && session !== undefined && !open.isDead) {
      const isRunning = session.current !== undefined && !session.current.isOver;
      if (isRunning || waysBack(open).length === 0) return false;
      if (await open.closeSession(session)) return true;
      if (this.#users > 0 || open.busyBeside(undefined)) return false;
      this.#open = undefined;
      this.#bury(open);
    }
    await Promise.all(this.#closing);
    return true;
  }

  /** Something ended: when nothing runs for a while, the agent is stopped. */
  rest(): void {
    const { deps, limits } = this.#settings;
    deps.timers.clearTimeout(this.#idle);
    if (this.#open === undefined || this.#isClosed) return;
    this.#idle = deps.timers.setTimeout(() => this.#stopIfIdle(), limits.idle_stop_ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settings.deps.timers.clearTimeout(this.#idle);
    const open = await this.#open?.catch(() => undefined);
    await Promise.all([open?.close(), ...this.#closing]);
  }

  async #connection(): Promise<AgentConnection> {
    if (this.#isClosed) throw gone('closed', 'The gateway stops.');
    const open = await this.#open?.catch(() => undefined);
    if (open !== undefined && !open.isDead) return open;
    // Somebody else may have begun while this one waited.
    const starting = this.#open;
    if (starting !== undefined && (await starting.catch(() => undefined)) !== open) return this.#connection();
    if (open !== undefined) this.#bury(open);
    this.#open = this.#start();
    return this.#open;
  }

  /** One that still ends may have sessions open that this one is to take up. */
  async #start(): Promise<AgentConnection> {
    await Promise.all(this.#closing);
    const connection = new AgentConnection(this.#settings);
    try {
      await connection.initialize();
    } catch (error) {
      this.#open = undefined;
      this.#bury(connection);
      throw error;
    }
    this.initialized = objectOf(this.#settings.deps.redact(connection.initialized).value);
    return connection;
  }

  #stopIfIdle(): void {
    const open = this.#open?.catch(() => undefined);
    void open?.then((connection) => {
      if (connection === undefined || this.#users > 0 || connection.busyBeside(undefined)) return;
      this.#open = undefined;
      this.#bury(connection);
    });
  }

  #bury(connection: AgentConnection): void {
    const { deps, config } = this.#settings;
    const done = connection
      .close()
      .catch((error: unknown) => deps.logger.warn({ err: error, agent: config.id }, 'an agent did not end'))
      .finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }
}
