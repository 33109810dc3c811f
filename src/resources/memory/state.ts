import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idList, textList } from '#resources/states.ts';
import type { MemoryDescription } from './schema.ts';

/** What the keys of all its lists by owner begin with. */
export const MEMORY_LISTS = 'l/memory/';

/** Keys of what is folded, and prefixes of its lists. */
export const memoryKeys = {
  memory: idKey<CleanMemoryState>('r/memory/'),
  memoriesOfTenant: textList(`${MEMORY_LISTS}t/`),
  memoriesOfWorkspace: idList(`${MEMORY_LISTS}w/`),
  memoriesOfSession: idList(`${MEMORY_LISTS}s/`),
  /** Memories that have an `expires_at`, ordered by it. */
  expiringMemories: 'l/memory-expiry/',
} as const;

export type MemoryState = Folded<
  MemoryDescription,
  {
    tenant: string;
    session_id: string | null;
    /** Artifact made for large content; forgotten together with the Memory. */
    artifact_id: string | null;
    /** What its content is as JSON; `sha256` is bare hex. */
    content?: { sha256: string; size: number };
  }
>;

/** As they are read: what was folded of clean events is clean. */
export type CleanMemoryState = Clean<MemoryState>;
