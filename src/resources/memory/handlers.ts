import type { Handlers } from '#core/handlers.ts';
import { createMemory } from './createMemory.ts';
import { deleteMemory } from './deleteMemory.ts';
import { getMemory, listMemories } from './queries.ts';

export const memoryHandlers = {
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
} satisfies Partial<Handlers>;
