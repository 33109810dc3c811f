import type { Handlers } from '#core/handlers.ts';
import { createVault } from './createVault.ts';
import { getVault, listVaults } from './queries.ts';

export const vaultHandlers = {
  createVault,
  getVault,
  listVaults,
} satisfies Partial<Handlers>;
