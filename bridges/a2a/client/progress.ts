import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import { isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { OutboundMessage, Turn } from '#protocol-client.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';
import { decodeState, statusOf } from '../../../mappings/a2a/states.ts';
import { bounded, type HarnTasks, type Reading } from './record.ts';

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
  /** The last state the agent named, when it is in no table. */
  unknownState: string | undefined;
  /** The agent named a terminal state. */
  isOver = false;
  /** All that came since the message of the turn is the task as it stood before: waiting, with the question that was answered. */
  stands = false;
  /** The question of the standing task has an id, so that another question can be distinguished from it. */
  standsIdentified = false;
  #mayStand: boolean;
  readonly #said: () => ReadonlySet<string>;

  constructor(turn: Pick<Turn, 'kind' | 'binding' | 'sessionBinding' | 'metadataSaid'>) {
    this.#mayStand = turn.kind === 'continue';
    this.#said = () => new Set(turn.metadataSaid().flatMap(messageIdsIn));
    this.taskId = textOf(turn.binding?.['task_id']);
    this.contextId = textOf(turn.binding?.['context_id']) ?? textOf(turn.sessionBinding?.['context_id']);
  }

  /** Takes note of what came. True for a snapshot of the task as it stood before the message of the turn. */
  note(reading: Reading, operation: A2aOperation): boolean {
    if (reading.kind === 'error') this.isSettled = true;
    if (reading.kind !== 'event') return false;
    const { event, body } = reading;
    if (isForeignTask(reading, operation, this.taskId)) return false;
    this.stands = event === 'task' && this.#isAsItStood(body);
    if (this.stands) return true;
    this.#mayStand = false;
    // A message is the whole answer unless a task is under way.
    if (event === 'message' && this.taskId === undefined) this.isSettled = true;
    if (event === 'task') this.taskId = textOf(body['id']) ?? this.taskId;
    if (event === 'status' || event === 'artifact') this.taskId ??= textOf(body['taskId']);
    if (event === 'task' || event === 'status') this.#noteState(body);
    return false;
  }

  /** From now on a waiting task waits for another answer: the agent has done with the one it got, or never took it. */
  takeAsAnswer(): void {
    this.#mayStand = false;
    this.stands = false;
  }

  /**
   * A stream begins with the Task as it is, and the agent may not have begun with the message yet. The same task with a question
   * that nobody has heard is an answer. Spec: A2A 1.0, 3.1.2.
   */
  #isAsItStood(body: JsonObject): boolean {
    if (!this.#mayStand || this.taskId === undefined || textOf(body['id']) !== this.taskId) return false;
    const found = decodeState(rawState(body) ?? '');
    if (!found.known || !isBlocked(statusOf(found.word))) return false;
    const question = questionId(body);
    this.standsIdentified = question !== undefined;
    if (question === undefined) return true;
    const said = this.#said();
    return said.size === 0 || said.has(bounded(question));
  }

  #noteState(body: JsonObject): void {
    const raw = rawState(body) ?? '';
    const found = decodeState(raw);
    this.unknownState = found.known ? undefined : bounded(raw);
    const status = found.known ? statusOf(found.word) : 'WORKING';
    this.awaitsAuth = status === 'AUTH_REQUIRED';
    this.isOver = isTerminal(status);
    this.isSettled = this.isOver || status === 'INPUT_REQUIRED';
  }
}

/** Id of the message of the state. `harn serve` calls it `id`. */
function questionId({ status }: JsonObject): string | undefined {
  const message = isObject(status) ? status['message'] : undefined;
  return isObject(message) ? (textOf(message['messageId']) ?? textOf(message['id'])) : undefined;
}

/** Of the metadata of a Message that an agent said. */
function messageIdsIn({ a2a }: JsonObject): string[] {
  const id = isObject(a2a) ? a2a['message_id'] : undefined;
  return typeof id === 'string' ? [id] : [];
}

/** An event about another task than ours. Only the answer to a message may name a new one. */
export function isForeignTask(
  { event, body }: Extract<Reading, { kind: 'event' }>,
  operation: A2aOperation,
  taskId: string | undefined,
): boolean {
  if (taskId === undefined || event === 'message') return false;
  const mayBeNew = event === 'task' && (operation === 'SendMessage' || operation === 'SendStreamingMessage');
  const named = textOf(event === 'task' ? body['id'] : body['taskId']);
  return !mayBeNew && named !== undefined && named !== taskId;
}

/** The state word of a Task or a status update; `harn serve` may put it where the status object should be. */
export function rawState(body: JsonObject): string | undefined {
  const status = body['status'];
  return isObject(status) ? textOf(status['state']) : (textOf(status) ?? textOf(body['state']));
}

/** Ids of tasks that are looked up in a turn; an agent that names more has those passed on as they are. */
const MAX_LOOKED_UP = 100;

/** Finds out which of the agent's references are Tasks here; what was found once holds for the turn. */
export class References {
  readonly #turn: Pick<Turn, 'taskId' | 'tasksBoundTo'>;
  readonly #found = new Map<string, string | undefined>();

  constructor(turn: Pick<Turn, 'taskId' | 'tasksBoundTo'>) {
    this.#turn = turn;
  }

  /** The Tasks that a frame refers to; undefined when it refers to none. `bound`: the agent's id of the turn's task. */
  async knownIn(reading: Reading, bound: string | undefined): Promise<HarnTasks | undefined> {
    if (reading.kind !== 'event') return undefined;
    const { event, body } = reading;
    const named = messagesIn(body).flatMap(referencesIn);
    if (named.length === 0) return undefined;
    const own = bound ?? textOf(body[event === 'task' ? 'id' : 'taskId']);
    await this.#lookUp(named.filter((id) => id !== own && !this.#found.has(id)));
    const known = [...new Set(named)].flatMap((id) => {
      const task = id === own ? this.#turn.taskId : this.#found.get(id);
      return task === undefined ? [] : [[id, task] as const];
    });
    return known.length === 0 ? undefined : known;
  }

  async #lookUp(ids: readonly string[]): Promise<void> {
    const asked = [...new Set(ids)].slice(0, Math.max(0, MAX_LOOKED_UP - this.#found.size));
    if (asked.length === 0) return;
    const bound = await this.#turn.tasksBoundTo(asked);
    for (const id of asked) this.#found.set(id, bound.get(id));
  }
}

/** The event with the ids of Tasks for those of the agent; a reference to anything else stays what it is. */
export function withHarnTasks(body: JsonObject, tasks: HarnTasks | undefined): JsonObject {
  if (tasks === undefined) return body;
  const known = new Map<JsonValue, string>(tasks);
  const translated = (message: JsonObject): JsonObject => {
    const ids = message['referenceTaskIds'];
    if (!Array.isArray(ids)) return message;
    return { ...message, referenceTaskIds: ids.map((id) => known.get(id) ?? id) };
  };
  const { status, history } = body;
  return {
    ...translated(body),
    ...(isObject(status) && isObject(status['message'])
      ? { status: { ...status, message: translated(status['message']) } }
      : {}),
    ...(Array.isArray(history)
      ? { history: history.map((message) => (isObject(message) ? translated(message) : message)) }
      : {}),
  };
}

/** A Message, or those of a Task or of a status update. */
function messagesIn(body: JsonObject): JsonObject[] {
  const { status, history } = body;
  const said = isObject(status) && isObject(status['message']) ? [status['message']] : [];
  return [body, ...said, ...(Array.isArray(history) ? history.filter(isObject) : [])];
}

function referencesIn({ referenceTaskIds: ids }: JsonObject): string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

type Related = Pick<Turn, 'bindingOf' | 'metadataSaid' | 'tasksForked'>;

/**
 * The references of a message as the agent knows them. An id that is no Task's goes as it is when the agent has named it in
 * this Session: any other could be one of a stranger's at the same agent. A Task of elsewhere is left out. A fork has a context
 * of its own (`isNewContext`), which begins with the tasks of its source.
 */
export function referencesOf(turn: Related, { metadata }: OutboundMessage, isNewContext: boolean): string[] {
  const given = referencesKept(metadata);
  const remote = (id: string) => turn.bindingOf(id)?.['task_id'];
  const said = given.every((id) => typeof remote(id) === 'string')
    ? []
    : turn.metadataSaid().flatMap(referencesKept);
  const named = given.map((id) => remote(id) ?? (said.includes(id) ? id : undefined));
  const forked = isNewContext ? turn.tasksForked().map(remote) : [];
  return [...new Set([...named, ...forked].filter((id) => typeof id === 'string'))];
}

/** Of the metadata of a Message. */
function referencesKept({ a2a }: JsonObject): string[] {
  const ids = isObject(a2a) ? a2a['reference_task_ids'] : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
