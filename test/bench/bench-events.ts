import type { EventLog, NewEvent } from '#eventlog/event-log.ts';
import { fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Session } from '#resources/session/schema.ts';

const BENCH = { actor: 'actor_bench' };
const WORKSPACE = 'workspace_default';
const NOTE = 'z'.repeat(200);

/** Events of one Session: the first creates it, the others say 200 characters about it. */
export class EventSource {
  readonly #log: EventLog;
  readonly #name: string;
  readonly #eventsPerSession: number;
  #sessions = 0;
  #count = 0;

  /** `name` keeps the sessions of several sources apart; a new session begins after `eventsPerSession` events. */
  constructor(log: EventLog, name: string, eventsPerSession: number) {
    this.#log = log;
    this.#name = name;
    this.#eventsPerSession = eventsPerSession;
  }

  get sessionId(): string {
    return `session_${this.#name}x${this.#sessions}`;
  }

  /** Appends one event durably. */
  append(): Promise<unknown> {
    if (this.#count % this.#eventsPerSession === 0) this.#sessions += 1;
    const isFirst = this.#count % this.#eventsPerSession === 0;
    this.#count += 1;
    return this.#log.transact(BENCH, (tx) => tx.append(isFirst ? this.#created(tx.time) : this.#note()));
  }

  #created(time: string): NewEvent {
    const session = { session: { ...sessionAt(this.sessionId, time) } };
    return {
      ...this.#place('session.created'),
      payload: fromLog<JsonObject>(session as unknown as JsonObject),
    };
  }

  #note(): NewEvent {
    return { ...this.#place('agent.reasoning_summary'), payload: fromLog({ note: NOTE }) };
  }

  #place(event: NewEvent['event']) {
    const id = this.sessionId;
    return { event, resource: { object: 'session', id }, workspace_id: WORKSPACE, session_id: id };
  }
}

function sessionAt(id: string, time: string): Session {
  const none = { persona_id: null, root_session_id: null, parent_session_id: null, branch_id: null };
  const times = { created_at: time, updated_at: time, expires_at: null };
  const rest = { metadata: {}, transcript: {}, last_event_id: null, summary: null } as const;
  return { id, object: 'session', workspace_id: WORKSPACE, state: 'IDLE', ...none, ...times, ...rest };
}

/** Appends so many events with the given writers, each waiting for its own to be durable. */
export async function appendWith(sources: readonly EventSource[], count: number): Promise<void> {
  let left = count;
  const writer = async (source: EventSource) => {
    while (left-- > 0) await source.append();
  };
  await Promise.all(sources.map(writer));
}
