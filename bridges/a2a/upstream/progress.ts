import { isObject } from '../../../mappings/a2a/events.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';
import { decodeState, statusOf } from '../../../mappings/a2a/states.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { isTerminal } from '../../../src/protocol/task-states.ts';
import type { Turn } from '../../../src/upstream.ts';
import type { Reading } from './record.ts';

/**
 * How far a turn has come, as far as the driver must know: it decides when to stop listening and whom to ask again. What
 * the frames mean is not its business.
 */
export class Progress {
  taskId: string | undefined;
  contextId: string | undefined;
  /** Nothing more is to come in this turn. */
  isSettled = false;
  /** The agent waits for a credential: it may go on by itself, so that listening goes on. */
  awaitsAuth = false;
  /** The last state the agent named is in no table. */
  isUnknown = false;
  /** The agent named a terminal state. */
  isOver = false;

  constructor(turn: Pick<Turn, 'binding' | 'sessionBinding'>) {
    this.taskId = text(turn.binding?.['task_id']);
    this.contextId = text(turn.binding?.['context_id']) ?? text(turn.sessionBinding?.['context_id']);
  }

  note(reading: Reading, operation: A2aOperation): void {
    if (reading.kind === 'error') this.isSettled = true;
    if (reading.kind !== 'event') return;
    const { event, body } = reading;
    if (isForeignTask(reading, operation, this.taskId)) return;
    // A message is the whole answer unless a task is under way.
    if (event === 'message' && this.taskId === undefined) this.isSettled = true;
    if (event === 'task') this.taskId = text(body['id']) ?? this.taskId;
    if (event === 'status' || event === 'artifact') this.taskId ??= text(body['taskId']);
    if (event === 'task' || event === 'status') this.#noteState(body, operation);
  }

  #noteState(body: JsonObject, operation: A2aOperation): void {
    const found = decodeState(rawState(body) ?? '');
    this.isUnknown = !found.known;
    const status = found.known ? statusOf(found.word) : 'WORKING';
    this.awaitsAuth = status === 'AUTH_REQUIRED';
    const isFinal = this.isUnknown && operation === 'SendMessage';
    this.isOver = isTerminal(status);
    this.isSettled = isFinal || this.isOver || status === 'INPUT_REQUIRED';
  }
}

/** An event about another task than ours. Only the answer to a message may name a new one. */
export function isForeignTask(
  { event, body }: Extract<Reading, { kind: 'event' }>,
  operation: A2aOperation,
  taskId: string | undefined,
): boolean {
  if (taskId === undefined || event === 'message') return false;
  const mayBeNew = event === 'task' && (operation === 'SendMessage' || operation === 'SendStreamingMessage');
  const named = text(event === 'task' ? body['id'] : body['taskId']);
  return !mayBeNew && named !== undefined && named !== taskId;
}

/** The state word of a Task or a status update; `harn serve` may put it where the status object should be. */
export function rawState(body: JsonObject): string | undefined {
  const status = body['status'];
  return isObject(status) ? text(status['state']) : (text(status) ?? text(body['state']));
}

export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
