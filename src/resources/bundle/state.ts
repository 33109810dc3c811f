import { idKey } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const bundleKeys = {
  sessionImport: idKey('x/import/'),
} as const;
