import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { OutboundMessage, Turn } from '#protocol-client.ts';
import type { HarnTasks, Reading } from './record.ts';

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
