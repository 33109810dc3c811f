import type { JsonObject } from '#protocol/json.ts';
import type { TurnWaits } from './turn-waits.ts';

/** A Session that a client follows, as far as questions need it. */
export interface Follower {
  readonly id: string;
  readonly turns: TurnWaits;
  /** Sends one update of the gateway's own. */
  tell(update: JsonObject): void;
}
