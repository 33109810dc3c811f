import type { Room } from '#resources/room.ts';
import { VAULT_EVENTS } from './events.ts';
import { vaultsOperations } from './operations.ts';
import { vaultKeys } from './state.ts';

export const vault = {
  operations: vaultsOperations,
  events: VAULT_EVENTS,
  states: { vault: vaultKeys.vault },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
