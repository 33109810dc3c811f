import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey } from '#resources/states.ts';
import type { Halt } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const haltKeys = {
  halt: idKey<CleanHaltState>('r/halt/'),
  /** One for the gateway: agents are shared by all tenants. */
  inForce: 'x/halts',
  halts: 'l/halt/',
} as const;

export type HaltState = Folded<Halt, { tenant: string }>;

/** Ids of the halts in force, oldest first. Absent: none. */
export interface HaltsInForceState {
  ids: string[];
}

/** As they are read: what was folded of clean events is clean. */
export type CleanHaltState = Clean<HaltState>;
