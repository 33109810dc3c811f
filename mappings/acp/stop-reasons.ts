import type { StopReason } from '@agentclientprotocol/sdk';
import type { Failure, TerminalStatus } from '#protocol/task-states.ts';
import { type Found, wordTable } from '../table.ts';

/** How a Task ended; the words of one letter case below FAILED are failures whose `failure.code` ACP has a word for. */
export type HarnEnd = TerminalStatus | 'max_tokens' | 'max_turn_requests' | 'refusal';

/** Spec: ACP v1, "Prompt Turn", stop reasons. See mappings/README.md, States. */
export const STOP_REASONS = wordTable<HarnEnd, StopReason>()({
  toForeign: {
    COMPLETED: 'end_turn',
    CANCELED: 'cancelled',
    max_tokens: 'max_tokens',
    max_turn_requests: 'max_turn_requests',
    refusal: 'refusal',
    FAILED: { to: null, loses: 'nothing: the prompt is answered with a JSON-RPC error instead' },
  },
  fromForeign: {
    end_turn: 'COMPLETED',
    cancelled: 'CANCELED',
    max_tokens: 'max_tokens',
    max_turn_requests: 'max_turn_requests',
    refusal: 'refusal',
  },
});

const FAILURES: Readonly<Record<Exclude<HarnEnd, TerminalStatus>, string>> = {
  max_tokens: 'The agent reached its limit of tokens. What it said so far is kept; ask it to go on.',
  max_turn_requests: 'The agent reached its limit of model requests in one turn. Ask it to go on.',
  refusal: 'The agent refused the prompt. Change it, or submit another task.',
};

/** The end of a Task as a Harn word. */
export function endOf(status: TerminalStatus, failure: Failure | null): HarnEnd {
  const code = failure?.code ?? '';
  return status === 'FAILED' && Object.hasOwn(FAILURES, code) ? (code as HarnEnd) : status;
}

/** What a stop reason means for the Task; an unknown one fails it, because unknown is never a success. */
export function statusOfStop(raw: string): { status: TerminalStatus; failure?: Failure } {
  const found: Found<HarnEnd> = STOP_REASONS.decode(raw);
  if (!found.known) return { status: 'FAILED', failure: unknownStop(raw) };
  const { word } = found;
  if (word === 'COMPLETED' || word === 'CANCELED' || word === 'FAILED') return { status: word };
  return { status: 'FAILED', failure: { code: word, message: FAILURES[word], type: 'upstream_error' } };
}

function unknownStop(raw: string): Failure {
  return {
    code: 'unknown_stop_reason',
    message: 'The agent ended its turn with a word that no version of ACP has. What it said is kept.',
    type: 'upstream_error',
    details: { stop_reason: raw.slice(0, 200) },
  };
}
