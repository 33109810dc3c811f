import { getOf, listOf } from '#core/collection.ts';
import { erasureKeys } from './state.ts';

export const getErasure = getOf('erasure', 'erasure_id');

export const listErasures = listOf({
  keyOf: erasureKeys.erasure,
  ofWorkspace: erasureKeys.erasuresOfWorkspace,
});
