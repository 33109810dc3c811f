import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { AgentPool } from './agent-pool.ts';
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

  /** The agent that is started with this offer; a session that ran with another one is taken up again there. */
  of(offer: HostOffer, sessionId: string | undefined): AgentPool {
    const key = offer.join(' ');
    const pool = this.#pools.get(key) ?? new AgentPool({ ...this.#settings, offer });
    this.#pools.set(key, pool);
    if (sessionId !== undefined) {
      for (const other of this.#pools.values()) if (other !== pool) other.forget(sessionId);
    }
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}
