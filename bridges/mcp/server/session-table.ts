import type { Clock } from '#protocol/ports.ts';

/** Sessions open at a time; the one unused for longest makes room. */
const MAX_SESSIONS = 1_000;
/** A session that nobody uses is closed; its client opens another one. */
const SESSION_IDLE_MS = 30 * 60_000;

/** Random bytes in a session id: it is no credential, but nobody should find one by trying. */
export const SESSION_ID_BYTES = 16;

interface KeptSession {
  readonly id: string;
  readonly actor: string;
  readonly usedAt: number;
  close(): Promise<void>;
}

/** Open sessions by id, each the business of the actor that opened it alone. */
export class SessionTable<Session extends KeptSession> {
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Undefined for one that is not there, and for one of somebody else. */
  of(id: string, actor: string): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.actor === actor ? session : undefined;
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  async add(session: Session): Promise<void> {
    if (this.#sessions.size >= MAX_SESSIONS) await this.#dropOldest();
    this.#sessions.set(session.id, session);
  }

  forget(id: string): void {
    this.#sessions.delete(id);
  }

  tidy(): void {
    const now = this.#clock.monotonic();
    for (const session of this.all()) if (now - session.usedAt > SESSION_IDLE_MS) void this.#drop(session);
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((session) => this.#drop(session)));
  }

  async #dropOldest(): Promise<void> {
    const [oldest] = this.all().sort((a, b) => a.usedAt - b.usedAt);
    if (oldest !== undefined) await this.#drop(oldest);
  }

  async #drop(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    await session.close().catch(() => undefined);
  }
}
