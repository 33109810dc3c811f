import { ERROR_CODES } from '#protocol/errors.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { Frame, Move, Seen } from '#protocol-client.ts';

export type FaultFrame = Extract<Frame, { kind: 'fault' }>;

/** Why a task failed whose turn ended in a fault. What would be an error of a request is one of the agent here. */
export function failureOfFault({ code, message, details }: FaultFrame): Failure {
  const known = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : undefined;
  const type = known === undefined || known.type === 'request_error' ? 'upstream_error' : known.type;
  return { code, message, type, ...(details !== undefined && { details }) };
}

/** The other side closed the turn. Work that is still going on then has no result. */
export function endMoves({ status }: Pick<Seen, 'status'>, who: 'agent' | 'server'): Move[] {
  if (isTerminal(status) || isBlocked(status)) return [];
  const message = `The ${who} ended without a result.`;
  const failure: Failure = { code: 'upstream_unavailable', message, type: 'upstream_error' };
  return [{ type: 'status', to: 'FAILED', failure }];
}
