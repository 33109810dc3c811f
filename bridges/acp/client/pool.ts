import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import { unavailable } from '../../wire/faults.ts';
import type { AgentSettings, RouteSettings } from './agent-wire.ts';
import { AgentConnection, waysBack } from './connection.ts';

/**
 * The one running agent of a route: started by the first turn, shared by all sessions, stopped when nothing ran for a while,
 * started again when it died. A thousand sessions are one process.
 */
class AgentPool {
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
    if (this.#isClosed) throw unavailable('closed', 'The gateway stops.');
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

/**
 * The running agents of a route: one for all sessions without an editor, and one for each set of things that editors offer,
 * because an agent learns once, at its start, what its client has.
 */
export class AgentPools {
  readonly #settings: RouteSettings;
  readonly #pools = new Map<string, AgentPool>();

  constructor(settings: RouteSettings) {
    this.#settings = settings;
  }

  /** What the agent said of itself when it was last started. */
  get initialized(): JsonObject {
    const known = [...this.#pools.values()].map(({ initialized }) => initialized);
    return known.findLast((said) => Object.keys(said).length > 0) ?? {};
  }

  /**
   * The agent that is started with this offer. A session that another one has open is taken up here when that has let it go;
   * else it goes on there, with what that one knows of its client: two connections never have one session.
   */
  async of(offer: HostOffer, sessionId: string | undefined): Promise<AgentPool> {
    const key = offer.join(' ');
    const pool = this.#pools.get(key) ?? new AgentPool({ ...this.#settings, offer });
    this.#pools.set(key, pool);
    if (sessionId === undefined) return pool;
    for (const other of this.#pools.values())
      if (other !== pool && !(await other.release(sessionId))) return other;
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}
