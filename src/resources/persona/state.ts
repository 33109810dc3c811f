import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, textList } from '#resources/states.ts';
import type { Persona } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const personaKeys = {
  persona: idKey<CleanPersonaState>('r/persona/'),
  /** By tenant. */
  personas: textList('l/persona/'),
} as const;

export type PersonaState = Folded<
  Persona,
  {
    tenant: string;
    revision: number;
    /** Hash of the file it was last read from. */
    file_hash: string | null;
  }
>;

/** As they are read: what was folded of clean events is clean. */
export type CleanPersonaState = Clean<PersonaState>;
