import type { StreamFrame } from '#gateway.ts';
import {
  isAnsweredAlready,
  type PermissionKind,
  type PermissionRequest,
} from '#resources/permission/schema.ts';
import type { QuestionKind, RequestFrame } from './frames.ts';

export type Question = RequestFrame['request'];

/** What an event does to the questions of a stream. */
type Effect = 'asks' | 'blocks' | 'answers' | 'moves';

/**
 * Whatever blocks a task is in the queue of permission requests, so its events ask. The task's own events ask only where
 * they name no request: in logs older than the queue.
 */
const EFFECTS: Readonly<Record<string, Effect>> = {
  'tool.approval_required': 'asks',
  'vendor.harn_gateway.permission_requested': 'asks',
  'task.input_required': 'blocks',
  'task.auth_required': 'blocks',
  'tool.approved': 'answers',
  'tool.denied': 'answers',
  'vendor.harn_gateway.permission_resolved': 'answers',
  'task.status_changed': 'moves',
  'task.completed': 'moves',
  'task.failed': 'moves',
  'task.canceled': 'moves',
};

const KINDS = {
  tool: 'approval',
  authorization: 'authorization',
  elicitation: 'input',
} as const satisfies Record<PermissionKind, QuestionKind>;

/** The members of a stored event that matter here. */
interface StoredEvent {
  id: string;
  event: string;
  task_id: string | null;
  session_id: string | null;
  payload: { permission_request?: PermissionRequest; request_id?: string };
}

/** What an event asks of the client; undefined for all others. */
export function questionOf(frame: StreamFrame): Question | undefined {
  const effect = EFFECTS[frame.kind];
  if (effect !== 'asks' && effect !== 'blocks') return undefined;
  const { id, event, task_id, session_id, payload } = read(frame);
  const place = { event_id: id, task_id, session_id };
  const { permission_request: asked, request_id: named } = payload;
  // Its answer was known before it was asked.
  if (asked !== undefined && isAnsweredAlready(asked.request)) return undefined;
  if (asked !== undefined)
    return { kind: KINDS[asked.request.kind], ...place, request_id: asked.id, permission_request: asked };
  if (named !== undefined) return undefined;
  const kind = event === 'task.input_required' ? 'input' : 'authorization';
  return { kind, ...place, request_id: null, permission_request: null };
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
    if (question !== undefined) this.#open.set(question.request_id ?? question.event_id, question);
    else if (this.#open.size > 0) this.#settle(frame);
  }

  take(): Question[] {
    const questions = [...this.#open.values()];
    this.#open.clear();
    return questions;
  }

  #settle(frame: StreamFrame): void {
    const effect = EFFECTS[frame.kind];
    if (effect !== 'answers' && effect !== 'moves') return;
    const { task_id, payload } = read(frame);
    for (const [key, question] of this.#open) {
      const isAnswered = effect === 'answers' && question.request_id === payload.request_id;
      const isLeft = effect === 'moves' && question.request_id === null && question.task_id === task_id;
      if (isAnswered || isLeft) this.#open.delete(key);
    }
  }
}

function read({ bytes }: StreamFrame): StoredEvent {
  return JSON.parse(bytes.toString()) as StoredEvent;
}
