import { ERROR_CODES, type ErrorCode } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Move, Seen } from '#upstream.ts';
import { A2A_ERRORS, type A2aErrorRow, harnCodeOfHttp } from '../../../mappings/a2a/errors.ts';
import { bounded, cut } from './bounds.ts';
import type { A2aRecord, AgentError } from './record.ts';

const MAX_MESSAGE_LENGTH = 1_000;

/** An A2A error. A refused cancel, or message to a task that goes on, moves nothing; any other refusal ends the task. Source: notes/a2a.md 1.6. */
export function interpretError(record: A2aRecord, error: AgentError, seen: Seen): Move[] {
  const details = detailsOf(error);
  if (record.operation === 'CancelTask') return [{ type: 'note', note: 'cancel_refused', details }];
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details }];
  const said = cut(error.message, MAX_MESSAGE_LENGTH);
  if (record.task_goes_on === true)
    return [{ type: 'note', note: 'message_refused', details: { ...details, message: said } }];
  const code = codeOf(error);
  const message = said === '' ? 'The agent refused the message without saying why.' : said;
  return [{ type: 'status', to: 'FAILED', failure: { code, message, type: typeOf(code), details } }];
}

function codeOf(error: AgentError): ErrorCode {
  const row: A2aErrorRow | undefined = error.name === undefined ? undefined : A2A_ERRORS[error.name];
  if (row !== undefined) return row.harn;
  return error.httpStatus === undefined ? 'upstream_unavailable' : harnCodeOfHttp(error.httpStatus);
}

/** The agent refused, not the gateway: only server-side types keep their own. */
function typeOf(code: ErrorCode): string {
  const { type } = ERROR_CODES[code];
  return type === 'rate_limit_error' ? type : 'upstream_error';
}

function detailsOf({ name, code, reason, httpStatus }: AgentError): JsonObject {
  return {
    a2a_error: name ?? 'unknown',
    ...(code !== undefined && { a2a_code: code }),
    ...(reason !== undefined && { a2a_reason: bounded(reason) }),
    ...(httpStatus !== undefined && { http_status: httpStatus }),
  };
}
