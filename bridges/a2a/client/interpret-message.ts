import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { MessageDraft, Move, Seen } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { decodeRole } from '../../../mappings/a2a/roles.ts';
import { bounded, boundedParts, isBindable } from './bounds.ts';
import { text } from './progress.ts';

/**
 * A Message of the agent. Without a task it is the whole answer: the Task completes with it, marked `message_only`.
 * Beside a task it is only said. Source: notes/a2a.md 1.2, last row.
 */
export function interpretMessage(body: JsonObject, seen: Seen): Move[] {
  const taskId = text(seen.binding?.['task_id']);
  const binds = bindMoves(taskId, text(body['contextId']), seen);
  if (isUserMessage(body)) return [...binds, { type: 'note', note: 'echoed_message' }];
  const said = sayMoves(body, seen);
  if (taskId !== undefined) return [...binds, ...said];
  return [...binds, ...said, { type: 'status', to: 'COMPLETED', metadata: { a2a: { message_only: true } } }];
}

/** The message, unless the log has it already; agents that use one id for all they say say something else each time. */
export function sayMoves(body: JsonObject, seen: Seen): Move[] {
  const message = draftOf(body);
  if (message.upstreamId !== undefined && seen.hasMessage(message.upstreamId, message.parts)) {
    return [{ type: 'note', note: 'repeated_message', details: { message_id: message.upstreamId } }];
  }
  return [{ type: 'message', message }];
}

/** `harn serve` calls the id `id`. A longer id than 512 characters is a shorter one to us. */
export function messageId(body: JsonObject): string | undefined {
  const id = text(body['messageId']) ?? text(body['id']);
  return id === undefined ? undefined : bounded(id);
}

export function isUserMessage(body: JsonObject): boolean {
  const found = decodeRole(text(body['role']) ?? '');
  return found.known && found.word === 'user';
}

/** Everything an agent sends is said by the agent, whatever an unknown role word may mean. */
export function draftOf(body: JsonObject): MessageDraft {
  const found = decodeRole(text(body['role']) ?? '');
  const upstreamId = messageId(body);
  const a2a = keptMembers(body, upstreamId, found.known ? undefined : bounded(found.raw));
  return {
    ...(upstreamId !== undefined && { upstreamId }),
    role: found.known && found.word !== 'user' ? found.word : 'agent',
    parts: boundedParts(body['parts']),
    metadata: { a2a },
  };
}

function keptMembers(body: JsonObject, id: string | undefined, rawRole: string | undefined): JsonObject {
  return {
    ...(id !== undefined && { message_id: id }),
    ...(rawRole !== undefined && rawRole !== '' && { raw_role: rawRole }),
    ...filled('metadata', body['metadata']),
    ...filled('extensions', body['extensions']),
    ...filled('reference_task_ids', body['referenceTaskIds']),
  };
}

/** The member when it says anything: empty lists and objects are how codecs spell absence. */
export function filled(name: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined) return {};
  const isFilled = Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  return isFilled ? { [name]: value } : {};
}

/**
 * Keeps the remote ids. A context other than the one sent is noted and taken: later messages go there. Ids too long to
 * be kept are noted only; the driver has already refused them.
 */
export function bindMoves(taskId: string | undefined, contextId: string | undefined, seen: Seen): Move[] {
  const isOverlong = [taskId, contextId].some((id) => id !== undefined && !isBindable(id));
  if (isOverlong) return [{ type: 'note', note: 'overlong_id' }];
  const known = { task: text(seen.binding?.['task_id']), context: text(seen.sessionBinding?.['context_id']) };
  const isNewTask = taskId !== undefined && taskId !== known.task;
  const isNewContext = contextId !== undefined && contextId !== known.context;
  if (!isNewTask && !isNewContext) return [];
  return [
    ...changed('task_changed', known.task, isNewTask ? taskId : undefined),
    ...changed('context_changed', known.context, isNewContext ? contextId : undefined),
    {
      type: 'bind',
      ...(isNewTask && { binding: bindingOf(taskId, contextId ?? known.context) }),
      ...(isNewContext && { sessionBinding: { context_id: contextId } }),
    },
  ];
}

function bindingOf(taskId: string, contextId: string | undefined): JsonObject {
  return { task_id: taskId, ...(contextId !== undefined && { context_id: contextId }) };
}

function changed(note: string, was: string | undefined, is: string | undefined): Move[] {
  return was === undefined || is === undefined ? [] : [{ type: 'note', note, details: { was, is } }];
}
