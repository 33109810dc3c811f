import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import { unavailable } from '../../wire/faults.ts';
import type { AgentSettings, RouteSettings } from './agent-wire.ts';
import { AgentConnection, waysBack } from './connection.ts';

/**
 * The one running agent of a route: started by the first turn, shared by all sessions, stopped when nothing ran for a while,
 * started again when it died. A thousand sessions are one process; one with inputs of a session in its environment is of that
 * session alone.
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

  /** What the inputs of a session add to its environment; undefined for one that is shared. */
  get inputs(): Readonly<Record<string, string>> | undefined {
    return this.#settings.inputs;
  }

  /** The agent where it runs. */
  async running(): Promise<AgentConnection | undefined> {
    const open = await this.#open?.catch(() => undefined);
    return open?.isDead ? undefined : open;
  }

  /** Neither runs, nor is about to, nor ends. */
  get isUnused(): boolean {
    return this.#open === undefined && this.#users === 0 && this.#closing.size === 0;
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
      // What is in the environment of a process is there until it ends.
      if (this.inputs === undefined && (await open.closeSession(session))) return true;
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
    this.#idle = deps.timers.setTimeout(() => this.stopIfIdle(), limits.idle_stop_ms);
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

  /** Stops it unless somebody uses it. */
  stopIfIdle(): void {
    void this.#stopIfIdle();
  }

  /** Resolves when it is stopped, unless somebody uses it. */
  async stopped(): Promise<void> {
    await this.#stopIfIdle();
    await Promise.all(this.#closing);
  }

  async #stopIfIdle(): Promise<void> {
    const connection = await this.#open?.catch(() => undefined);
    if (connection === undefined || this.#users > 0 || connection.busyBeside(undefined)) return;
    this.#open = undefined;
    this.#bury(connection);
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

/** A Harn Session whose inputs are in the environment of an agent of its own, by their variables. */
interface OwnInputs {
  sessionId: string;
  inputs: Readonly<Record<string, string>>;
}

/**
 * The running agents of a route: one for all sessions without an editor, and one for each set of things that editors offer,
 * because an agent learns once, at its start, what its client has; and one for each session with inputs in its environment.
 */
export class AgentPools {
  readonly #settings: RouteSettings;
  readonly #pools = new Map<string, AgentPool>();
  /** Those of a session alone, the one that was used last at the end. */
  readonly #owned = new Map<string, { sessionId: string; pool: AgentPool }>();

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
  async of(offer: HostOffer, sessionId: string | undefined, own?: OwnInputs): Promise<AgentPool> {
    const key = JSON.stringify([offer, own]);
    const pool = this.#pools.get(key) ?? new AgentPool({ ...this.#settings, offer, inputs: own?.inputs });
    if (own !== undefined) this.#own(key, pool, own.sessionId);
    this.#pools.set(key, pool);
    if (sessionId === undefined) return pool;
    for (const other of this.#pools.values())
      if (other !== pool && !(await other.release(sessionId))) return other;
    return pool;
  }

  /** Those of a session alone that were used longest ago are stopped when there are more of them than turns at a time. */
  #own(key: string, pool: AgentPool, sessionId: string): void {
    for (const [known, other] of this.#owned) if (other.pool.isUnused) this.#drop(known);
    this.#owned.delete(key);
    this.#owned.set(key, { sessionId, pool });
    const more = this.#owned.size - this.#settings.limits.concurrency;
    for (const other of [...this.#owned.values()].slice(0, Math.max(more, 0))) other.pool.stopIfIdle();
  }

  #drop(key: string): void {
    this.#owned.delete(key);
    this.#pools.delete(key);
  }

  /** Stops those of a session alone that have other inputs in their environment than it has now. */
  async stopOthers(sessionId: string, inputs: Readonly<Record<string, string>> | undefined): Promise<void> {
    for (const [key, { pool, sessionId: of }] of this.#owned) {
      if (of !== sessionId || JSON.stringify(pool.inputs) === JSON.stringify(inputs)) continue;
      await pool.stopped();
      if (pool.isUnused) this.#drop(key);
    }
  }

  /** The running agents. */
  async running(): Promise<AgentConnection[]> {
    const found = await Promise.all([...this.#pools.values()].map((pool) => pool.running()));
    return found.filter((connection) => connection !== undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}
