import type { Handlers } from '#core/handlers.ts';
import { createPersona } from './createPersona.ts';
import { getPersona, listPersonas } from './queries.ts';
import { updatePersona } from './updatePersona.ts';

export const personaHandlers = {
  createPersona,
  updatePersona,
  getPersona,
  listPersonas,
} satisfies Partial<Handlers>;
