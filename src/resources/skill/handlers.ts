import type { Handlers } from '#core/handlers.ts';
import { getSkill, listSkills } from './queries.ts';

export const skillHandlers = {
  getSkill,
  listSkills,
} satisfies Partial<Handlers>;
