import type { StreamFrame } from '../../gateway.ts';
import type { QuestionKind, RequestFrame } from '../../protocol/ws-frames.ts';

export type Question = RequestFrame['request'];

/** Events that ask the client for something. */
const ASKING: Readonly<Record<string, QuestionKind>> = {
  'task.input_required': 'input',
  'task.auth_required': 'authorization',
  'tool.approval_required': 'approval',
};

/** Events that answer what a task asked, or make the answer pointless. */
const SETTLING: ReadonlySet<string> = new Set([
  'task.status_changed',
  'task.completed',
  'task.failed',
  'task.canceled',
]);
const DECIDING: ReadonlySet<string> = new Set(['tool.approved', 'tool.denied']);

/** The members of a stored event that matter here. */
interface AskingEvent {
  id: string;
  task_id: string | null;
  session_id: string | null;
  resource: { object: string; id: string };
  payload: Record<string, unknown>;
}

/** What an event asks, or undefined for all others. */
export function questionOf(frame: StreamFrame): Question | undefined {
  const kind = ASKING[frame.kind];
  if (kind === undefined) return undefined;
  const event = read(frame);
  return {
    kind,
    event_id: event.id,
    task_id: event.task_id,
    session_id: event.session_id,
    request_id: requestIdOf(event),
  };
}

/**
 * Questions met while history is delivered. Those answered later in it are forgotten, so that a resuming client is asked
 * only what still waits for it.
 */
export class OpenQuestions {
  readonly #open = new Map<string, Question>();

  /** Live questions are asked at once, so only replayed ones are kept; what settles them may be either. */
  note(frame: StreamFrame, replayed: boolean): void {
    const question = replayed ? questionOf(frame) : undefined;
    if (question !== undefined) this.#open.set(keyOf(question), question);
    else if (this.#open.size > 0) this.#settle(frame);
  }

  take(): Question[] {
    const questions = [...this.#open.values()];
    this.#open.clear();
    return questions;
  }

  #settle(frame: StreamFrame): void {
    if (!SETTLING.has(frame.kind) && !DECIDING.has(frame.kind)) return;
    const event = read(frame);
    const requestId = requestIdOf(event);
    for (const [key, question] of this.#open) {
      const isDecided = requestId !== null && question.request_id === requestId;
      if (isDecided || (SETTLING.has(frame.kind) && question.task_id === event.task_id))
        this.#open.delete(key);
    }
  }
}

/** A permission request is one question however many events tell of it; else a task asks one thing at a time. */
function keyOf({ request_id, task_id }: Question): string {
  return request_id ?? task_id ?? '';
}

function requestIdOf({ resource, payload }: AskingEvent): string | null {
  if (resource.object === 'permission_request') return resource.id;
  const named = payload['permission_request_id'] ?? payload['request_id'];
  return typeof named === 'string' ? named : null;
}

function read({ bytes }: StreamFrame): AskingEvent {
  return JSON.parse(bytes.toString()) as AskingEvent;
}
