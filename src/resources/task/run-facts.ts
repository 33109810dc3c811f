import type { UsageTotals } from '#protocol/usage.ts';
import type { BlockingEffect } from '#resources/policy/events.ts';

/** One thing that a receipt says of a run; resources are named, not copied. */
export type RunFact =
  | { kind: 'artifact'; id: string }
  | { kind: 'request'; id: string; actor: string | null }
  | { kind: 'tool_called'; call_id: string; tool: string; input_hash: string }
  | { kind: 'tool_ended'; call_id: string; status: 'succeeded' | 'failed'; output_hash?: string }
  | { kind: 'input_redacted'; message_id: string; proof_hash: string }
  | { kind: 'file_written'; path: string; sha256: string }
  | { kind: 'policy'; effect: BlockingEffect; rule: string; action: string; at: string };

/** The newest facts, oldest first; full pages of older ones are states of their own. */
export interface RunFacts {
  pages: number;
  newest: RunFact[];
  /** Absent where the agent said nothing. */
  usage?: UsageTotals;
}

/** A full page of the facts of a run. */
export interface RunPageState {
  facts: RunFact[];
}
