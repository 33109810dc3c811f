import { ok, page } from '#core/answer.ts';
import { type IdList, tasksOfSession } from '#core/id-list.ts';
import {
  decodeCursor,
  encodeCursor,
  foreignCursor,
  listPage,
  paging,
  visibleWorkspaces,
} from '#core/list-page.ts';
import { load, loadWorkspace } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { defaultWorkspace } from '#policy/access.ts';
import type { OperationInput } from '#resources/operations.ts';
import { frameMaterials } from '#resources/receipt/run-materials.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';
import type { KeyedSessionState } from '#resources/states.ts';
import { hasFilter, listFiltered } from './list-tasks.ts';
import type { TaskMaterial } from './material-schema.ts';

export const listTasks: Query<'listTasks'> = async ({ query }, tools) => {
  const lists = await taskLists(query, tools);
  if (query.sort === 'status_time' || hasFilter(query)) return listFiltered(tools, lists, query);
  return listPage(tools, { lists, ...paging(query), keyOf: stateKey.task });
};

export const listSessionTasks: Query<'listSessionTasks'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const lists = [tasksOfSession(tools.log, session.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: stateKey.task });
};

export const getTask: Query<'getTask'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'task', path.task_id).resource, caller);

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
  const { reader, caller } = tools;
  if (query.workspace_id) loadWorkspace(reader, caller, query.workspace_id, 'workspace_id');
  const sessionId = query.session_id ?? keyedSession(query, tools);
  if (sessionId) {
    const session = load(reader, caller, 'session', sessionId, 'session_id').resource;
    const fits = query.workspace_id === undefined || query.workspace_id === session.workspace_id;
    return fits ? [tasksOfSession(tools.log, session.id)] : [];
  }
  if (query.session_key !== undefined) return [];
  const workspaces = query.workspace_id ? [query.workspace_id] : await visibleWorkspaces(tools);
  return workspaces.map(listPrefix.tasksOfWorkspace);
}

/** The Session that the caller gave this key, in the named Workspace, else in its default one. */
function keyedSession(query: TaskQuery, { reader, caller }: QueryTools): string | undefined {
  if (query.session_key === undefined) return undefined;
  const workspaceId = query.workspace_id ?? defaultWorkspace(caller);
  const key = stateKey.keyedSession(workspaceId, caller.actor, query.session_key);
  return reader.get<KeyedSessionState>(key)?.session_id;
}
