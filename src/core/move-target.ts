import type { Transaction } from '#eventlog/event-log.ts';
import type { CleanText } from '#protocol/clean.ts';
import type { DecisionTools } from './facts.ts';

/** Where moves are applied: one transaction, one task, one recorded frame. */
export interface MoveTarget {
  tx: Transaction;
  tools: DecisionTools;
  taskId: string;
  /** Override key of the frame, for example `a2a:sample:3`. */
  material: CleanText;
  /** Reads what the frame says; what comes of a frame without secrets has none and is not read again. */
  clean: DecisionTools['redact'];
}
