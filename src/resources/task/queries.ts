import { getOf, listsOf } from '#core/collection.ts';
import {
  decodeCursor,
  encodeCursor,
  foreignCursor,
  type IdList,
  idsIn,
  listPage,
  PageBudget,
  paging,
  tasksOfSession,
} from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { page, type Query, type QueryTools } from '#core/query.ts';
import type { Answer } from '#gateway.ts';
import { jsonSize } from '#json/large-json.ts';
import { defaultWorkspace } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isRejection } from '#protocol/task-states.ts';
import type { OperationInput } from '#resources/operations.ts';
import { frameMaterials } from '#resources/receipt/run-materials.ts';
import { type KeyedSessionState, sessionKeys } from '#resources/session/state.ts';
import type { Task, TaskMaterial } from './schema.ts';
import { type TaskState, taskKeys } from './state.ts';

export const listTasks: Query<'listTasks'> = async ({ query }, tools) => {
  const lists = await taskLists(query, tools);
  if (query.sort === 'status_time' || hasFilter(query)) return listFiltered(tools, lists, query);
  return listPage(tools, { lists, ...paging(query), keyOf: taskKeys.task });
};

export const listSessionTasks: Query<'listSessionTasks'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const lists = [tasksOfSession(tools.log, session.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: taskKeys.task });
};

export const getTask = getOf('task', 'task_id');

/** The frames of a task are numbered without gaps, so the cursor is the number of the last one. */
export const listTaskMaterials: Query<'listTaskMaterials'> = ({ path, query }, tools) => {
  const { log, reader, caller } = tools;
  const task = load(reader, caller, 'task', path.task_id);
  const { limit, cursor } = paging(query);
  const after = cursor === undefined ? 0 : frameNumber(decodeCursor(cursor));
  const found = frameMaterials((key) => log.record(key), task, after + 1, limit + 1);
  const data = found.slice(0, limit).map(({ n, kind, key, sha256, redaction_proof }): TaskMaterial => {
    const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
    return { object: 'task_material', id: key, n, kind, sha256, ...proof };
  });
  const last = data.at(-1);
  return page(data, found.length > limit && last ? encodeCursor(String(last.n)) : null, caller);
};

function frameNumber(cursor: string): number {
  if (/^[1-9]\d{0,7}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}

type TaskQuery = OperationInput<'listTasks'>['query'];

async function taskLists(query: TaskQuery, tools: QueryTools): Promise<IdList[]> {
  const { workspace_id, session_id = keyedSession(query, tools) } = query;
  const ofSession = (id: string) => tasksOfSession(tools.log, id);
  const collection = { ofWorkspace: taskKeys.tasksOfWorkspace, ofSession };
  const lists = await listsOf(collection, { workspace_id, session_id }, tools);
  return session_id === undefined && query.session_key !== undefined ? [] : lists;
}

/** The Session that the caller gave this key, in the named Workspace, else in its default one. */
function keyedSession(query: TaskQuery, { reader, caller }: QueryTools): string | undefined {
  if (query.session_key === undefined) return undefined;
  const workspaceId = query.workspace_id ?? defaultWorkspace(caller);
  const key = sessionKeys.keyedSession(workspaceId, caller.actor, query.session_key);
  return reader.get<KeyedSessionState>(key)?.session_id;
}

/** Tasks one request looks at. In the order of creation the next page goes on there; a count ends there, oldest left out. */
const MAX_SCANNED = { created: 10_000, status_time: 100_000 } as const;
/** Keys read at once; others get their turn in between. */
const READ_AT_ONCE = 200;

/** Whether a query asks for what only the Tasks themselves say. */
function hasFilter(query: TaskQuery): boolean {
  return [query.status, query.rejected, query.route, query.persona_id, query.status_since].some(
    (value) => value !== undefined,
  );
}

/**
 * Time of a Task's status: its newest move, or what the agent said since, as A2A dates it. It is kept with the Task and looked
 * for in all of them: an index would have to follow every move of every Task, and a count reads all of them anyway.
 */
function statusTime({ resource, internal }: TaskState): string {
  return resource.completed_at ?? resource.canceled_at ?? internal.status_at ?? resource.created_at;
}

/** A page of the Tasks that fit. The cursor is the place of the last one in the order, so that changes elsewhere never shift it. */
export async function listFiltered(
  tools: QueryTools,
  lists: readonly IdList[],
  query: TaskQuery,
): Promise<Answer> {
  const after = query.cursor === undefined ? undefined : decodePlace(query.cursor);
  const found = new NewestPlaces(query.limit + 1);
  const total = { count: 0 };
  // By creation the keys are in the order of the list, so that a page begins where the last one ended.
  const isByCreation = query.sort === 'created';
  let stop: string | undefined;
  for (const list of lists) {
    const end = isByCreation ? after : undefined;
    const stopped = await scan(tools, list, end, query, lists.length, (state) => {
      total.count += 1;
      const place = placeOf(state, query);
      if (after === undefined || place < after) found.add(place, state.resource);
      return isByCreation && found.isFull && place <= found.last;
    });
    if (isByCreation && stopped !== undefined && (stop === undefined || stopped > stop)) stop = stopped;
  }
  const rest = stop === undefined ? found.all() : found.all().filter(({ place }) => place >= stop);
  return answerOf(tools, query, rest, stop, total.count);
}

/**
 * Reads the Tasks of a list, newest first, and passes those that fit to `take`, until it has enough. Resolves with the id of the
 * last one read when there may be more than one request reads.
 */
async function scan(
  { log, reader }: QueryTools,
  list: IdList,
  end: string | undefined,
  query: TaskQuery,
  shares: number,
  take: (state: TaskState) => boolean,
): Promise<string | undefined> {
  const most = Math.ceil(MAX_SCANNED[query.sort] / shares);
  let lt = end;
  for (let scanned = 0; scanned < most; scanned += READ_AT_ONCE) {
    const ids = await idsIn(log, list, { lt, reverse: true, limit: READ_AT_ONCE });
    for (const id of ids) {
      const state = reader.get<TaskState>(taskKeys.task(id));
      if (state !== undefined && fits(state, query) && take(state)) return undefined;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < READ_AT_ONCE) return undefined;
    lt = last;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return lt;
}

function answerOf(
  { caller }: QueryTools,
  query: TaskQuery,
  rest: readonly Placed[],
  stop: string | undefined,
  count: number,
): Answer {
  const budget = new PageBudget();
  const cut = rest.slice(0, query.limit).findIndex(({ task }) => !budget.takes(jsonSize(task)));
  const shown = rest.slice(0, cut === -1 ? query.limit : cut);
  const last = rest.length > shown.length ? shown.at(-1)?.place : stop;
  const next = last === undefined ? null : encodePlace(last);
  const answer = page(
    shown.map(({ task }) => task),
    next,
    caller,
  );
  if (query.sort !== 'status_time' || answer.body.kind !== 'json') return answer;
  return { ...answer, body: { kind: 'json', value: { ...(answer.body.value as object), total: count } } };
}

interface Placed {
  place: string;
  task: Task;
}

/** The first Tasks of an order, whatever order they come in; no more of them are kept than asked for. */
class NewestPlaces {
  readonly #most: number;
  readonly #placed: Placed[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#placed.length === this.#most;
  }

  /** The place of the last one kept; empty while there is none. */
  get last(): string {
    return this.#placed.at(-1)?.place ?? '';
  }

  add(place: string, task: Task): void {
    if (this.isFull && place < this.last) return;
    let low = 0;
    for (let high = this.#placed.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#placed[middle]?.place ?? '') > place) low = middle + 1;
      else high = middle;
    }
    this.#placed.splice(low, 0, { place, task });
    if (this.#placed.length > this.#most) this.#placed.pop();
  }

  all(): readonly Placed[] {
    return this.#placed;
  }
}

function fits(state: TaskState, query: TaskQuery): boolean {
  const { status, rejected, route, persona_id, status_since } = query;
  const { resource: task } = state;
  return (
    (status === undefined || task.status === status) &&
    (rejected === undefined || isRejection(task) === (rejected === 'true')) &&
    (route === undefined || task.assigned_agent_id === route) &&
    (persona_id === undefined || task.persona_id === persona_id) &&
    (status_since === undefined || Date.parse(statusTime(state)) >= Date.parse(status_since))
  );
}

function placeOf(state: TaskState, { sort }: TaskQuery): string {
  const { id } = state.resource;
  return sort === 'created' ? id : `${statusTime(state)} ${id}`;
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
