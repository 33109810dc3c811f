import { ERROR_CODES } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import { readUsage } from '#protocol/usage.ts';
import type { Frame, Move, Seen } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { A2A_USAGE } from '../../../mappings/a2a/usage-words.ts';
import { bounded, boundedId } from './bounds.ts';
import { interpretArtifact } from './interpret-artifact.ts';
import { interpretError } from './interpret-error.ts';
import { interpretMessage, isUserMessage } from './interpret-message.ts';
import { interpretStatus } from './interpret-status.ts';
import { interpretTask } from './interpret-task.ts';
import { isForeignTask, text } from './progress.ts';
import { type A2aRecord, type Reading, recordIn } from './record.ts';
import { withHarnTasks } from './references.ts';

/** What a frame means, by the tables of mappings/a2a. Pure: the same frame and the same past give the same moves. */
export function interpret(frame: Frame, seen: Seen): Move[] {
  if (frame.kind === 'fault') return faultMoves(frame, seen);
  if (frame.kind === 'end') return endMoves(seen);
  const read = recordIn(frame, seen.rules.a2aNames);
  if (read === undefined) return [{ type: 'note', note: 'not_a_record' }];
  const { record, reading } = read;
  if (reading.kind === 'event') return eventMoves(record, reading, seen);
  if (reading.kind === 'error') return interpretError(record, reading.error, seen);
  if (reading.kind === 'foreign')
    return [{ type: 'note', note: 'foreign_answer', details: { id: boundedId(reading.id) } }];
  return [{ type: 'note', note: 'unknown_message', details: { reason: bounded(reading.reason) } }];
}

function eventMoves(record: A2aRecord, reading: Extract<Reading, { kind: 'event' }>, seen: Seen): Move[] {
  const { event } = reading;
  const body = withHarnTasks(reading.body, record.tasks);
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details: { event } }];
  if (isForeignTask(reading, record.operation, text(seen.binding?.['task_id']))) {
    return [{ type: 'note', note: 'foreign_task', details: { event } }];
  }
  switch (event) {
    case 'task':
      return [...usageMoves(body), ...interpretTask(body, record, seen)];
    case 'message':
      return [...usageMoves(body), ...interpretMessage(body, seen)];
    case 'status':
      return [...usageMoves(body), ...interpretStatus(body, record, seen)];
    case 'artifact':
      return interpretArtifact(body, seen);
  }
}

type FaultFrame = Extract<Frame, { kind: 'fault' }>;

function faultMoves(frame: FaultFrame, seen: Seen): Move[] {
  const details: JsonObject = { ...frame.details };
  if (frame.details?.['operation'] === 'CancelTask')
    return [{ type: 'note', note: 'cancel_failed', details }];
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details: { fault: frame.code } }];
  if (frame.details?.['task_goes_on'] === true) {
    const { code, message } = frame;
    return [{ type: 'note', note: 'message_refused', details: { ...details, code, message } }];
  }
  if (frame.code === 'auth_required') {
    if (seen.status === 'AUTH_REQUIRED') return [];
    const metadata = { a2a: { ...details, auth_message: frame.message } };
    return details['untaken'] === true
      ? [{ type: 'metadata', patch: metadata }, connection(frame.message)]
      : [{ type: 'status', to: 'AUTH_REQUIRED', metadata }];
  }
  return [{ type: 'status', to: 'FAILED', failure: failureOf(frame) }];
}

/** Somebody gives the gateway a credential and says so; the agent took nothing of the message, so it gets it again. */
function connection(message: string): Move {
  const permission = { kind: 'authorization' as const, source: 'hitl' as const, message };
  return { type: 'permission', permission: { ...permission, resends: true } };
}

function failureOf({ code, message, details }: FaultFrame): Failure {
  const known = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : undefined;
  const type = known?.type === 'request_error' ? 'upstream_error' : (known?.type ?? 'upstream_error');
  return { code, message, type, ...(details !== undefined && { details }) };
}

/** The agent closed the turn. Work that is still going on then has no result. */
function endMoves({ status }: Seen): Move[] {
  if (isTerminal(status) || isBlocked(status)) return [];
  const failure: Failure = {
    code: 'upstream_unavailable',
    message: 'The agent ended without a result.',
    type: 'upstream_error',
  };
  return [{ type: 'status', to: 'FAILED', failure }];
}

/** What the agent says that its task used so far, beside whatever else the event says. */
export function usageMoves(body: JsonObject): Move[] {
  const status = body['status'];
  const spoken = isObject(status) ? status['message'] : undefined;
  return (isObject(spoken) ? [body, spoken] : [body]).flatMap((one): Move[] => {
    const { metadata } = one;
    return isObject(metadata) && !isUserMessage(one) ? movesOf(metadata) : [];
  });
}

function movesOf(metadata: JsonObject): Move[] {
  const { figures, refused } = readUsage(A2A_USAGE, metadata);
  const told: Move[] =
    Object.keys(figures).length === 0 ? [] : [{ type: 'usage', usage: { counts: 'total', ...figures } }];
  if (refused.length === 0) return told;
  return [...told, { type: 'note', note: 'usage_refused', details: { members: refused } }];
}
