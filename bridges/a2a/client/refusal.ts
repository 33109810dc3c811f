import type { Frame } from '#upstream.ts';
import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { Fault } from './faults.ts';
import { isForeignTask, Progress } from './progress.ts';
import { type A2aRecord, type Reading, toFrameBody } from './record.ts';
import type { TurnRun } from './turn-run.ts';

type Answer = { record: A2aRecord; reading: Reading };

/** How a task stands whose agent refused a message to it. */
type Standing = { kind: 'over'; answer: Answer } | { kind: 'open' } | { kind: 'gone' };

/** A refused message: an A2A error, or an HTTP status that came without one. */
export type Refusal = Answer | { fault: Fault; operation: A2aRecord['operation'] };

/**
 * A refused message says nothing about the task it was for: it may work on, as it does when an interrupt is refused, or
 * be done; peers use several codes for that. While it is open the refusal is only noted, once it is over its end counts.
 * False when the agent knows no such task: then the refusal counts. Source: notes/a2a.md 1.6, "Peers differ".
 */
export async function* refused(run: TurnRun, refusal: Refusal): AsyncGenerator<Frame, boolean> {
  const { taskId } = run.progress;
  if (run.turn.kind !== 'continue' || taskId === undefined) return false;
  if (!mayHaveBegun(refusal)) run.progress.takeAsAnswer();
  // What an agent tells that works on is told to who listens, and to nobody again.
  else if (run.canStream) {
    yield notedFrame(refusal);
    return true;
  }
  const standing = await standingOf(run, taskId);
  if (standing.kind === 'over') yield run.take(standing.answer.record, standing.answer.reading);
  if (standing.kind === 'open') yield notedFrame(refusal);
  return standing.kind !== 'gone';
}

/** Errors that agents also give when the message is with who executes it, and only its stream cannot be told. */
const UNCERTAIN_ERRORS: readonly (A2aErrorName | undefined)[] = [
  'UnsupportedOperation',
  'InternalError',
  'InvalidAgentResponse',
  undefined,
];

function mayHaveBegun(refusal: Refusal): boolean {
  if ('fault' in refusal) return Number(refusal.fault.details['http_status']) >= 500;
  const { reading } = refusal;
  return reading.kind === 'error' && UNCERTAIN_ERRORS.includes(reading.error.name);
}

/** HTTP said no before any A2A could be spoken; a refused credential is the business of a human. */
export function isHttpRefusal(error: unknown): error is Fault {
  return (
    error instanceof Fault && error.code !== 'auth_required' && error.details['http_status'] !== undefined
  );
}

async function standingOf(run: TurnRun, taskId: string): Promise<Standing> {
  try {
    for await (const answer of run.ask({ operation: 'GetTask', taskId })) return standingIn(run, answer);
  } catch (error) {
    // Following the task asks again, with patience.
    if (error instanceof Fault && error.isLost) return { kind: 'open' };
    if (!isHttpRefusal(error)) throw error;
  }
  return { kind: 'gone' };
}

function standingIn(run: TurnRun, answer: Answer): Standing {
  const { record, reading } = answer;
  const isTask = reading.kind === 'event' && reading.event === 'task';
  if (!isTask || isForeignTask(reading, record.operation, run.progress.taskId)) return { kind: 'gone' };
  const ahead = new Progress(run.turn);
  ahead.note(reading, record.operation);
  return ahead.isOver ? { kind: 'over', answer } : { kind: 'open' };
}

/** Marked, because interpretation sees the frame alone and must not end the task. */
function notedFrame(refusal: Refusal): Frame {
  if ('record' in refusal)
    return { kind: 'message', body: toFrameBody({ ...refusal.record, task_goes_on: true }) };
  const { code, message, details } = refusal.fault;
  return {
    kind: 'fault',
    code,
    message,
    details: { ...details, operation: refusal.operation, task_goes_on: true },
  };
}
