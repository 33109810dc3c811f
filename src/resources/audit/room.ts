import type { Room } from '#resources/room.ts';
import { auditOperations } from './operations.ts';

export const audit = {
  operations: auditOperations,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
