/**
 * Operations of the newer document that have no row in the operations table yet. Tests hold that none of them has one: whoever adds the
 * row takes the name off this list, and it ends empty.
 */
export const AWAITED: readonly string[] = [];
