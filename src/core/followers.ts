import type { EventSubscription } from '#eventlog/subscription.ts';
import type { StreamSink } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ResolvedCaller } from './door.ts';

/** An open stream and whose it is. */
export interface Follower {
  by: ResolvedCaller;
  sink: StreamSink;
  subscription: EventSubscription;
}

/** An open connection and whose it is. */
export interface Connection {
  by: ResolvedCaller;
  ended(error: ProtocolError): void;
}

/** The open streams and connections: none outlives its credential. Source: Agents Protocol v1, "Authentication and authorization". */
export class Followers {
  readonly #streams = new Set<Follower>();
  readonly #connections = new Set<Connection>();

  add(follower: Follower): void {
    this.#streams.add(follower);
  }

  remove(follower: Follower): void {
    this.#streams.delete(follower);
  }

  /** Returns what takes the connection off again. */
  watch(connection: Connection): () => void {
    this.#connections.add(connection);
    return () => void this.#connections.delete(connection);
  }

  /**
   * Ends the streams whose credential expired or was revoked, then notifies their connections; an issuer that cannot be asked
   * ends none.
   */
  async recheck(): Promise<void> {
    for (const follower of [...this.#streams]) {
      if (!(await hasEnded(follower.by)) || !this.#streams.delete(follower)) continue;
      follower.subscription.close();
      follower.sink.end('unauthenticated', CREDENTIAL_ENDED);
    }
    for (const connection of [...this.#connections]) {
      if (!(await hasEnded(connection.by)) || !this.#connections.delete(connection)) continue;
      connection.ended(CREDENTIAL_ENDED);
    }
  }
}

const CREDENTIAL_ENDED = new ProtocolError(
  'unauthenticated',
  'The credential of this stream has ended. Resume with a new one and the last event id.',
);

async function hasEnded(by: ResolvedCaller): Promise<boolean> {
  const settling = by.settle();
  if (settling !== undefined) await settling;
  return by.hasEnded;
}
