import type { JsonObject } from '#protocol/json.ts';
import type { Failure, TaskStatus } from '#protocol/task-states.ts';
import type { MessageDraft, Move, Seen } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { decodeState, type HarnState, statusOf, UNKNOWN_STATE } from '../../../mappings/a2a/states.ts';
import { bounded, cut } from './bounds.ts';
import { bindMoves, draftOf, filled, isUserMessage, sayMoves } from './interpret-message.ts';
import { rawState, text } from './progress.ts';
import type { A2aRecord } from './record.ts';

/** A TaskStatusUpdateEvent. */
export function interpretStatus(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  return [
    ...bindMoves(text(body['taskId']), text(body['contextId']), seen),
    ...withMetadata(stateMoves(body, isFinalContext(record, seen), seen), body),
  ];
}

/** Metadata of an update goes with what the update says, and stands alone where it says nothing else. */
function withMetadata(moves: Move[], body: JsonObject): Move[] {
  const { metadata } = filled('metadata', body['metadata']);
  if (!isObject(metadata)) return moves;
  const at = moves.findIndex(({ type }) => type === 'status' || type === 'message');
  const move = moves[at];
  if (move?.type === 'status') {
    const patch = isObject(move.metadata?.['a2a']) ? move.metadata['a2a'] : {};
    return moves.with(at, { ...move, metadata: { ...move.metadata, a2a: { ...patch, metadata } } });
  }
  if (move?.type !== 'message') return [...metadataMoves(body), ...moves];
  const a2a = isObject(move.message.metadata?.['a2a']) ? move.message.metadata['a2a'] : {};
  const said = {
    ...move.message,
    metadata: { ...move.message.metadata, a2a: { ...a2a, event_metadata: metadata } },
  };
  return moves.with(at, { ...move, message: said });
}

/** Whether nothing follows the state that this names, whatever it is. */
export function isFinalContext({ operation }: A2aRecord, { rules }: Seen): boolean {
  return operation === 'SendMessage' && rules.a2aSendAnswer === 'final';
}

export function metadataMoves(body: JsonObject): Move[] {
  const kept = filled('metadata', body['metadata']);
  return Object.keys(kept).length === 0 ? [] : [{ type: 'metadata', patch: { a2a: kept } }];
}

/** The move to the state that a Task or status update names, with what the agent says about it. */
export function stateMoves(body: JsonObject, isFinal: boolean, seen: Seen): Move[] {
  const status = body['status'];
  const message = isObject(status) && isObject(status['message']) ? status['message'] : undefined;
  const spoken = message === undefined || isUserMessage(message) ? undefined : message;
  const raw = rawState(body) ?? '';
  const found = decodeState(raw);
  return found.known
    ? knownMoves(found.word, spoken, seen)
    : unknownMoves(bounded(raw), isFinal, spoken, seen);
}

function knownMoves(state: HarnState, message: JsonObject | undefined, seen: Seen): Move[] {
  const to = statusOf(state);
  const stays = to === seen.status || to === 'SUBMITTED';
  if (stays) return message === undefined ? [] : sayMoves(message, seen);
  const draft = message === undefined ? undefined : draftOf(message);
  return statusMove(to, draft, to === 'FAILED' ? failureOf(state, draft) : undefined);
}

/** A message the log has already is the message of this state too, and not said again. */
function statusMove(to: TaskStatus, message: MessageDraft | undefined, failure: Failure | undefined): Move[] {
  return [{ type: 'status', to, ...(message && { message }), ...(failure !== undefined && { failure }) }];
}

/** An unknown word is never a success: work goes on, or what should be final fails. Source: contract section 2. */
function unknownMoves(raw: string, isFinal: boolean, message: JsonObject | undefined, seen: Seen): Move[] {
  const a2a = { raw_state: raw };
  const note: Move = { type: 'note', note: 'unknown_state', details: { raw_state: raw } };
  const said = message === undefined ? [] : sayMoves(message, seen);
  if (isFinal) {
    const failure: Failure = {
      code: 'upstream_unavailable',
      message: 'The agent ended in a state that the gateway does not know.',
      type: 'upstream_error',
      details: { a2a_state: raw },
    };
    return [note, ...said, { type: 'status', to: UNKNOWN_STATE.final, failure, metadata: { a2a } }];
  }
  const keep: Move =
    seen.status === 'SUBMITTED'
      ? { type: 'status', to: UNKNOWN_STATE.active, metadata: { a2a } }
      : { type: 'metadata', patch: { a2a } };
  return [note, ...said, keep];
}

/** Longest text of a failure; the whole message is in the log anyway. */
const MAX_REASON_LENGTH = 2_000;

const FAILURES = {
  FAILED: { code: 'runtime_error', type: 'runtime_error', text: 'The agent failed without saying why.' },
  REJECTED: {
    code: 'rejected',
    type: 'upstream_error',
    text: 'The agent rejected the task without saying why.',
  },
} as const;

/** Source: notes/a2a.md 1.2, row REJECTED; contract section 5 for `type`. */
function failureOf(state: HarnState, draft: MessageDraft | undefined): Failure {
  const row = state === 'REJECTED' ? FAILURES.REJECTED : FAILURES.FAILED;
  const reason = textOf(draft);
  return {
    code: row.code,
    message: reason === '' ? row.text : reason,
    type: row.type,
    ...(state === 'REJECTED' && { details: { a2a_state: 'TASK_STATE_REJECTED' } }),
  };
}

function textOf(draft: MessageDraft | undefined): string {
  const texts = (draft?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return cut(texts.join('\n'), MAX_REASON_LENGTH);
}
