import type { Answer } from '../gateway.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { TaskState } from '../projections/states.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { OperationInput } from '../protocol/operations.ts';
import type { Task } from '../protocol/resources/task.ts';
import { page } from './answer.ts';
import { jsonSize } from './large-metadata.ts';
import { PageBudget } from './page-budget.ts';
import type { QueryTools } from './query.ts';

type TaskQuery = OperationInput<'listTasks'>['query'];

/** Tasks one request looks at, newest first; what is older is not found by a filter. */
const MAX_SCANNED = 10_000;
/** Tasks read before others get their turn. */
const READ_AT_ONCE = 200;

/** Whether a query asks for what only the Tasks themselves tell. */
export function hasFilter(query: TaskQuery): boolean {
  return [query.status, query.route, query.persona_id, query.status_since].some(
    (value) => value !== undefined,
  );
}

/**
 * Time of a Task's status: its end, else its newest change. Both are in the resource, so that no index has to follow every
 * move of every Task.
 */
export function statusTime(task: Task): string {
  return task.completed_at ?? task.canceled_at ?? task.updated_at;
}

/** A page of the Tasks that fit. The cursor is the place of the last one in the order, so that changes elsewhere never shift it. */
export async function listByStatus(
  tools: QueryTools,
  prefixes: readonly string[],
  query: TaskQuery,
): Promise<Answer> {
  const placeOf = query.sort === 'created' ? byCreation : byStatus;
  const after = query.cursor === undefined ? undefined : decodePlace(query.cursor);
  const fitting = (await tasksUnder(tools, prefixes)).filter((task) => fits(task, query));
  const places = fitting.map((task) => ({ task, place: placeOf(task) }));
  places.sort((one, other) => (one.place < other.place ? 1 : -1));
  const rest = places.filter(({ place }) => after === undefined || place < after);
  const budget = new PageBudget();
  const end = rest.slice(0, query.limit).findIndex(({ task }) => !budget.takes(jsonSize(task)));
  const shown = rest.slice(0, end === -1 ? query.limit : end);
  const last = shown.at(-1);
  const next = rest.length > shown.length && last ? encodePlace(last.place) : null;
  const answer = page(
    shown.map(({ task }) => task),
    next,
    tools.caller,
  );
  const total = query.sort === 'status_time' ? { total: fitting.length } : {};
  return answer.body.kind === 'json'
    ? { ...answer, body: { kind: 'json', value: { ...(answer.body.value as object), ...total } } }
    : answer;
}

function fits(task: Task, { status, route, persona_id, status_since }: TaskQuery): boolean {
  return (
    (status === undefined || task.status === status) &&
    (route === undefined || task.assigned_agent_id === route) &&
    (persona_id === undefined || task.persona_id === persona_id) &&
    (status_since === undefined || Date.parse(statusTime(task)) >= Date.parse(status_since))
  );
}

async function tasksUnder({ log, reader }: QueryTools, prefixes: readonly string[]): Promise<Task[]> {
  const found: Task[] = [];
  for (const prefix of prefixes) {
    const range = { gt: prefix, lt: `${prefix}~`, reverse: true, limit: MAX_SCANNED - found.length };
    const keys = await log.indexKeys(range);
    for (const [at, key] of keys.entries()) {
      if (at % READ_AT_ONCE === READ_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
      const state = reader.get<TaskState>(stateKey.task(key.slice(prefix.length)));
      if (state) found.push(state.resource);
    }
    if (found.length >= MAX_SCANNED) break;
  }
  return found;
}

function byCreation(task: Task): string {
  return task.id;
}

function byStatus(task: Task): string {
  return `${statusTime(task)} ${task.id}`;
}

function encodePlace(place: string): string {
  return Buffer.from(`2:${place}`).toString('base64url');
}

function decodePlace(cursor: string): string {
  const [, place] = /^2:([\w.:-]+(?: [\w.:-]+)?)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (place !== undefined && encodePlace(place) === cursor) return place;
  const message = 'cursor is not one this list gave. Start without it.';
  throw new ProtocolError('invalid_request', message, { param: 'cursor' });
}
