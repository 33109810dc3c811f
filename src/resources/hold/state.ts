import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idList } from '#resources/states.ts';
import type { Hold } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const holdKeys = {
  hold: idKey<CleanHoldState>('r/hold/'),
  /** By session: the holds that were not released. */
  holdsOf: idKey<HoldsOfSession>('x/holds/'),
  holdsOfWorkspace: idList('l/hold/w/'),
  holdsOfSession: idList('l/hold/s/'),
  /** Holds that have an `expires_at` and were not released, ordered by it. */
  expiringHolds: 'l/hold-expiry/',
} as const;

export type HoldState = Folded<Hold, object>;

/** As they are read: what was folded of clean events is clean. */
export type CleanHoldState = Clean<HoldState>;

export interface HoldsOfSession {
  ids: string[];
}
