import { keysOf } from '#core/list-page.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import type { CommandId } from '#resources/operations.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { lastSegment } from '#store/keys.ts';
import { appendChange, crewOf, detachAll, withClient } from './change-clients.ts';
import type { KnownClient, LiveMemory } from './live-memory.ts';
import { LIVE_CLIENT_LIMITS } from './schema.ts';
import { liveClientKeys } from './state.ts';

interface LiveConnectionsDeps {
  log: EventLog;
  live: LiveMemory;
  clock: Clock;
  logger: Logger;
  redact<T>(value: T): { value: Clean<T> };
}

/** A connection that follows a Session. */
export interface FollowingConnection {
  id: string;
  actor: string;
  sessionId: string;
  clientId: string;
  metadata: JsonObject;
}

/** Which flag of the controller an operation needs, where a connection that attached itself calls it. */
const NEEDS: Partial<Record<CommandId, 'prompt_injection' | 'permission_routing'>> = {
  appendSessionMessage: 'prompt_injection',
  appendTaskMessage: 'prompt_injection',
  submitSessionTask: 'prompt_injection',
  submitTask: 'prompt_injection',
  respondPermissionRequest: 'permission_routing',
};

/** Connections as clients of the Sessions that they follow, and those that attached and went without a word. */
export class LiveConnections {
  readonly #deps: LiveConnectionsDeps;
  /** Commits under way. */
  #last: Promise<void> = Promise.resolve();

  constructor(deps: LiveConnectionsDeps) {
    this.#deps = deps;
  }

  open(connection: string): void {
    this.#deps.live.open(connection);
  }

  /** It follows a Session. The log hears of it where somebody attached to that Session; else it is shown and forgotten. */
  follow({ id, actor, sessionId, clientId, metadata }: FollowingConnection): void {
    const { live, clock, redact } = this.#deps;
    const at = timestamp(clock.now());
    const words = redact({ id, clientId: clientId.trim().slice(0, 200), actor, metadata }).value;
    const client: KnownClient = {
      shown: {
        client_id: words.clientId,
        mode: 'observer',
        attached_at: at,
        last_seen_at: at,
        prompt_injection: false,
        permission_routing: false,
        metadata: JSON.stringify(metadata).length > LIVE_CLIENT_LIMITS.metadataBytes ? {} : words.metadata,
      },
      holder: { actor: words.actor, connection: words.id },
    };
    live.follow(sessionId, client);
    if (this.#isRecorded(sessionId)) this.#arrive(words.actor, sessionId, client);
  }

  /** It follows the Session no more; what it attached stays attached. */
  unfollow(connection: string, sessionId: string): void {
    const { live } = this.#deps;
    live.unfollow(sessionId, connection);
    const hasAttached = live.attachedAs(sessionId, connection) !== undefined;
    if (!hasAttached && this.#isRecorded(sessionId)) this.#detach(connection, sessionId);
  }

  /** It is over. */
  close(connection: string): void {
    for (const { sessionId, hadAttached } of this.#deps.live.close(connection))
      if (hadAttached || this.#isRecorded(sessionId)) this.#detach(connection, sessionId);
  }

  /** The gateway stops: every connection is over. Resolves when that is recorded. */
  async closeAll(): Promise<void> {
    for (const connection of this.#deps.live.connections) this.close(connection);
    await this.#last;
  }

  /**
   * Throws `invalid_state_transition` where a connection that attached itself asks for what only the controller of the Session
   * may. Nobody else is refused by role.
   */
  refuseObserver(id: CommandId, connection: string, named: Readonly<Record<string, unknown>>): void {
    const needed = NEEDS[id];
    if (needed === undefined) return;
    const { live, log } = this.#deps;
    const sessionId = this.#sessionOf(named);
    const clientId = sessionId === undefined ? undefined : live.attachedAs(sessionId, connection);
    if (sessionId === undefined || clientId === undefined) return;
    const session = log.state<CleanSessionFold>(sessionKeys.session(sessionId));
    if (session === undefined || session.resource.state === 'CLOSED') return;
    const { live_controller_id: controller = null, live_clients = [] } = session.resource;
    const client = live_clients.find(({ client_id }) => client_id === clientId);
    if (client === undefined || (controller === clientId && client[needed])) return;
    const message = `${clientId} is attached as an observer, or without ${needed}. Take over the session, or detach.`;
    throw new ProtocolError('invalid_state_transition', message, {
      details: { reason: 'live_client_error', mode: client.mode, active_controller_id: controller },
    });
  }

  /** After a start no connection of before is there: clients that went with one are detached. */
  async detachLost(): Promise<void> {
    const { live } = this.#deps;
    const isLost = ({ holder }: KnownClient) => holder.connection !== null && !live.isOpen(holder.connection);
    await this.#sweep(isLost, word('gateway_restarted'));
  }

  /**
   * Detaches clients that were not heard of for so long. Those that go with a connection are there as long as it is.
   * `sinceMs`: before that heartbeats were forgotten.
   */
  async detachSilent(ttlMs: number, sinceMs: number): Promise<void> {
    const before = this.#deps.clock.now() - ttlMs;
    if (ttlMs === 0 || sinceMs > before) return;
    const isSilent = ({ shown, holder }: KnownClient) =>
      holder.connection === null && Date.parse(shown.last_seen_at) <= before;
    await this.#sweep(isSilent, word('expired'));
  }

  async #sweep(isGone: (client: KnownClient) => boolean, reason: CleanText): Promise<void> {
    const { log } = this.#deps;
    await this.#intact(async () => {
      for await (const key of keysOf(log, liveClientKeys.liveSessions)) {
        const sessionId = lastSegment(key);
        await this.#intact(() => this.#sweepSession(sessionId, isGone, reason));
      }
    });
  }

  async #sweepSession(
    sessionId: string,
    isGone: (client: KnownClient) => boolean,
    reason: CleanText,
  ): Promise<void> {
    const { log, live } = this.#deps;
    const session = log.state<CleanSessionFold>(liveKey(sessionId));
    if (session === undefined || ![...live.clientsOf(session).values()].some(isGone)) return;
    await log.transact({ actor: null }, (tx) => detachAll(tx, live, sessionId, isGone, reason));
  }

  /** A damaged session is left alone, and stops neither the start nor the others. */
  async #intact(sweep: () => Promise<void>): Promise<void> {
    try {
      await sweep();
    } catch (error) {
      if (ProtocolError.from(error).code !== 'resource_locked') throw error;
      this.#deps.logger.error({ err: error }, 'live clients of a damaged session stay listed');
    }
  }

  #detach(connection: string, sessionId: string): void {
    const { live } = this.#deps;
    this.#queue(null, sessionId, (tx) =>
      detachAll(
        tx,
        live,
        sessionId,
        ({ holder }) => holder.connection === connection,
        word('connection_closed'),
      ),
    );
  }

  #arrive(actor: CleanText, sessionId: string, client: KnownClient): void {
    const { live } = this.#deps;
    const { client_id: clientId } = client.shown;
    this.#queue(actor, sessionId, (tx) => {
      const session = tx.get<CleanSessionFold>(liveKey(sessionId));
      const { connection } = client.holder;
      const isThere = connection !== null && live.isOpen(connection);
      if (session === undefined || session.resource.state === 'CLOSED' || !isThere) return;
      // Who attached under another id is there once.
      if (internalHas(session, clientId) || live.attachedAs(sessionId, connection) !== undefined) return;
      const after = crewOf(session, live);
      const rest = new Map(after.clients);
      rest.delete(clientId);
      const change = { before: { ...after, clients: rest }, after: withClient(after, client) };
      appendChange(tx, live, session, change, { action: 'attached', clientId, reason: null });
    });
  }

  #queue(
    actor: CleanText | null,
    sessionId: string,
    work: (tx: Parameters<Parameters<EventLog['transact']>[1]>[0]) => void,
  ): void {
    const { log, logger } = this.#deps;
    this.#last = Promise.all([this.#last, log.transact({ actor }, work)]).then(
      () => undefined,
      (error: unknown) =>
        logger.warn({ err: error, session_id: sessionId }, 'who is in a session could not be recorded'),
    );
  }

  #isRecorded(sessionId: string): boolean {
    const session = this.#deps.log.state<CleanSessionFold>(liveKey(sessionId));
    return (session?.resource.live_clients ?? []).length > 0;
  }

  #sessionOf(named: Readonly<Record<string, unknown>>): string | undefined {
    const { log } = this.#deps;
    const id = (name: string) => (typeof named[name] === 'string' ? named[name] : undefined);
    const requestId = id('request_id');
    const request =
      requestId === undefined
        ? undefined
        : log.state<CleanPermissionRequestState>(permissionKeys.permissionRequest(requestId));
    const taskId = id('task_id') ?? request?.resource.task_id;
    const task = typeof taskId === 'string' ? log.state<CleanTaskState>(taskKeys.task(taskId)) : undefined;
    return id('session_id') ?? task?.resource.session_id;
  }
}

const liveKey = (sessionId: string) => sessionKeys.session(sessionId);

function internalHas({ internal }: CleanSessionFold, clientId: string): boolean {
  return internal.live?.[clientId] !== undefined;
}
