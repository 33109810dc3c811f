import type { Clean, CleanObject, CleanText } from '#protocol/clean.ts';
import type { Session } from '#resources/session/schema.ts';
import type { CleanSessionFold } from '#resources/session/state.ts';
import type { LiveClientHolder } from './events.ts';
import type { LiveSessionClient } from './schema.ts';

/** A client as it is known: what is shown of it, and whose it is. */
export interface KnownClient {
  shown: Clean<LiveSessionClient>;
  holder: Clean<LiveClientHolder>;
}

/** The clients of a Session by their ids, in that order. */
export type KnownClients = ReadonlyMap<string, KnownClient>;

/** What was heard of a client since the log has it. */
interface Heard {
  last_seen_at: CleanText;
  metadata?: CleanObject | undefined;
}

/** What a connection does in a Session: it only follows it, or it attached itself as a client of this id. */
interface Presence {
  followed?: KnownClient;
  attachedAs?: string;
}

/**
 * What is known of live clients beside the log: connections that follow a Session and have not attached, and heartbeats. A restart
 * forgets it, and with it nobody who is still there.
 */
export class LiveMemory {
  /** Open connections, and what each does in which Session. */
  readonly #connections = new Map<string, Map<string, Presence>>();
  /** Connections by the Sessions that they follow. */
  readonly #following = new Map<string, Set<string>>();
  readonly #heard = new Map<string, Map<string, Heard>>();

  /** A connection opens: only then a client can go with it. */
  open(connection: string): void {
    if (!this.#connections.has(connection)) this.#connections.set(connection, new Map());
  }

  get connections(): readonly string[] {
    return [...this.#connections.keys()];
  }

  isOpen(connection: string): boolean {
    return this.#connections.has(connection);
  }

  /** The connection follows a Session. */
  follow(sessionId: string, client: KnownClient): void {
    const { connection } = client.holder;
    if (connection === null || !this.isOpen(connection)) return;
    this.#presence(connection, sessionId).followed = client;
    const following = this.#following.get(sessionId) ?? new Set();
    this.#following.set(sessionId, following.add(connection));
  }

  /** It does so no more. */
  unfollow(sessionId: string, connection: string): void {
    const presence = this.#connections.get(connection)?.get(sessionId);
    if (presence === undefined) return;
    delete presence.followed;
    if (presence.attachedAs === undefined) this.#connections.get(connection)?.delete(sessionId);
    const following = this.#following.get(sessionId);
    following?.delete(connection);
    if (following?.size === 0) this.#following.delete(sessionId);
  }

  /** The connection is over. Returns the Sessions in which it was, and whether it had attached itself there. */
  close(connection: string): { sessionId: string; hadAttached: boolean }[] {
    const sessions = [...(this.#connections.get(connection) ?? [])].map(([sessionId, { attachedAs }]) => ({
      sessionId,
      hadAttached: attachedAs !== undefined,
    }));
    for (const { sessionId } of sessions) this.unfollow(sessionId, connection);
    this.#connections.delete(connection);
    return sessions;
  }

  /** It attached itself, or no longer is attached. */
  attach(sessionId: string, connection: string, clientId: string | undefined): void {
    if (!this.isOpen(connection)) return;
    const presence = this.#presence(connection, sessionId);
    if (clientId === undefined) delete presence.attachedAs;
    else presence.attachedAs = clientId;
  }

  /** The id under which a connection attached itself to a Session; undefined when it did not. */
  attachedAs(sessionId: string, connection: string): string | undefined {
    return this.#connections.get(connection)?.get(sessionId)?.attachedAs;
  }

  hear(sessionId: string, clientId: string, heard: Heard): void {
    const ofSession = this.#heard.get(sessionId) ?? new Map<string, Heard>();
    this.#heard.set(sessionId, ofSession.set(clientId, { ...ofSession.get(clientId), ...heard }));
  }

  /** The client is in the log as it is now, or gone. */
  forget(sessionId: string, clientId: string): void {
    const ofSession = this.#heard.get(sessionId);
    ofSession?.delete(clientId);
    if (ofSession?.size === 0) this.#heard.delete(sessionId);
  }

  /** Everybody who is in a Session; nobody in a closed one. */
  clientsOf({ resource, internal }: CleanSessionFold): KnownClients {
    if (resource.state === 'CLOSED') return new Map();
    const known = new Map<string, KnownClient>();
    for (const connection of this.#following.get(resource.id) ?? []) {
      const presence = this.#connections.get(connection)?.get(resource.id);
      // Who attached under another id is there once.
      if (presence?.followed === undefined || presence.attachedAs !== undefined) continue;
      known.set(presence.followed.shown.client_id, presence.followed);
    }
    for (const shown of resource.live_clients ?? []) {
      const holder = internal.live?.[shown.client_id];
      if (holder !== undefined) known.set(shown.client_id, { shown, holder });
    }
    for (const [id, heard] of this.#heard.get(resource.id) ?? []) {
      const client = known.get(id);
      if (client !== undefined) known.set(id, { ...client, shown: heardIn(client.shown, heard) });
    }
    return new Map([...known].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Whether there is anything to add to what the log has of a Session. */
  knows(sessionId: string): boolean {
    return this.#following.has(sessionId) || this.#heard.has(sessionId);
  }

  /** The Session with everybody who is in it; the same object where nobody is known but by the log. */
  shown(session: CleanSessionFold): Clean<Session> {
    const { resource } = session;
    if (!this.knows(resource.id) || resource.state === 'CLOSED') return resource;
    const live_clients = [...this.clientsOf(session).values()].map(({ shown }) => shown);
    return { ...resource, live_clients, live_controller_id: resource.live_controller_id ?? null };
  }

  #presence(connection: string, sessionId: string): Presence {
    const sessions = this.#connections.get(connection) ?? new Map<string, Presence>();
    const presence = sessions.get(sessionId) ?? {};
    sessions.set(sessionId, presence);
    return presence;
  }
}

function heardIn(shown: Clean<LiveSessionClient>, heard: Heard): Clean<LiveSessionClient> {
  const { last_seen_at, metadata = shown.metadata } = heard;
  return { ...shown, last_seen_at, metadata };
}
