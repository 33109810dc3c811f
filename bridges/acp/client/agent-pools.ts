import type { JsonObject } from '#protocol/json.ts';
import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import { AgentPool } from './pool.ts';
import type { RouteSettings } from './wire.ts';

/**
 * The running agents of a route: one for all sessions without an editor, and one for each set of things that editors offer,
 * because an agent is told once, at its start, what its client has.
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
   * else it goes on there, with what that one was told of its client: two connections never have one session.
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
