import type { Room } from '#resources/room.ts';
import { KEY_EVENTS, RECEIPT_EVENTS } from './events.ts';
import {
  receiptLogOperations,
  receiptsOperations,
  receiptVerificationOperations,
  signingKeysOperations,
} from './operations.ts';
import { receiptKeys } from './state.ts';

export const receipt = {
  operations: {
    ...receiptsOperations,
    ...receiptVerificationOperations,
    ...receiptLogOperations,
    ...signingKeysOperations,
  },
  events: { ...KEY_EVENTS, ...RECEIPT_EVENTS },
  states: { receipt: receiptKeys.receipt },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
