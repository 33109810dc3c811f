import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idList, idTextKey } from '#resources/states.ts';
import type { Erasure } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const erasureKeys = {
  erasure: idKey<CleanErasureState>('r/erasure/'),
  /** By the id of a Session, a Task or a Receipt that was erased. */
  erased: idKey<CleanErasedState>('x/erased/'),
  /** By Task: its replay material went with the words of somebody else. */
  unreplayable: idKey<CleanErasedState>('x/unreplayable/'),
  /** By Session: parts of it were erased. */
  erasedIn: idKey<CleanErasedState>('x/erased-in/'),
  /** By Workspace and actor: the erasure that is under way. */
  erasingActor: idTextKey('x/erasing-actor/'),
  erasuresOfWorkspace: idList('l/erasure/w/'),
  /** Erasures that have not come to their end. */
  openErasures: 'l/erasure/open/',
} as const;

export type ErasureState = Folded<Erasure, object>;

export interface ErasedState {
  erasure_id: string;
  workspace_id: string;
  /** When the erasure was asked for. */
  erased_at: string;
  /** Of a Receipt. */
  receipt?: { hash: string; log_index: number; chain?: { index: number; previous_id: string | null } };
}

/** As they are read: what was folded of clean events is clean. */
export type CleanErasureState = Clean<ErasureState>;
export type CleanErasedState = Clean<ErasedState>;
