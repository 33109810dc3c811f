import { getOf, listOf } from '#core/collection.ts';
import { holdKeys } from './state.ts';

export const getHold = getOf('hold', 'hold_id');

export const listHolds = listOf({
  keyOf: holdKeys.hold,
  ofWorkspace: holdKeys.holdsOfWorkspace,
  ofSession: holdKeys.holdsOfSession,
});
