import type { Authenticator, Credential } from '../auth/caller.ts';
import type { EventSubscription } from '../eventlog/subscription.ts';
import type { StreamSink } from '../gateway.ts';
import { ProtocolError } from '../protocol/errors.ts';

/** An open stream and the credential it was opened with. */
export interface Follower extends Credential {
  sink: StreamSink;
  subscription: EventSubscription;
}

/** The open streams: none of them outlives its credential. Source: contract, "a stream ends at token expiry"; notes, A-09, A-10. */
export class Followers {
  readonly #open = new Set<Follower>();

  add(follower: Follower): void {
    this.#open.add(follower);
  }

  remove(follower: Follower): void {
    this.#open.delete(follower);
  }

  /** Ends the streams whose credential expired or was revoked; an issuer that cannot be asked ends none. */
  async recheck({ recognize, authenticate }: Authenticator): Promise<void> {
    for (const follower of [...this.#open]) {
      await recognize(follower);
      if (authenticate(follower).kind !== 'unauthenticated') continue;
      this.#open.delete(follower);
      follower.subscription.close();
      follower.sink.end('unauthenticated', CREDENTIAL_ENDED);
    }
  }
}

const CREDENTIAL_ENDED = new ProtocolError(
  'unauthenticated',
  'The credential of this stream has ended. Resume with a new one and the last event id.',
);
