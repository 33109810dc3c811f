import { idOfSaid } from '../../projections/said-messages.ts';
import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import type { ArtifactState, MessageState, OutcomeState, TaskState } from '../../projections/states.ts';
import type { Outcome } from '../../protocol/resources/outcome.ts';
import { ok } from '../answer.ts';
import { listAmong, listPage, visibleWorkspaces } from '../list-page.ts';
import { load } from '../load.ts';
import type { Query, QueryTools } from '../query.ts';
import { paging } from './workspaces.ts';

/** Messages and artifacts shown in one Outcome; the lists of the task have the rest. */
const MAX_SHOWN = 100;

export const listOutcomes: Query<'listOutcomes'> = async ({ query }, tools) => {
  const task = query.task_id
    ? load(tools.reader, tools.caller, 'task', query.task_id, 'task_id').resource
    : undefined;
  const shape = (state: object) => complete((state as OutcomeState).resource, tools);
  const request = { ...paging(query), keyOf: stateKey.outcome, shape };
  if (task) return listAmong(tools, task.outcome_id === null ? [] : [task.outcome_id], request);
  const prefixes = (await visibleWorkspaces(tools)).map(listPrefix.outcomesOfWorkspace);
  return listPage(tools, { prefixes, ...request });
};

export const getOutcome: Query<'getOutcome'> = async ({ path }, tools) => {
  const { resource } = load(tools.reader, tools.caller, 'outcome', path.outcome_id);
  return ok(await complete(resource, tools), tools.caller);
};

/** Fills in what the task's agent said and made; both lists are final once the Outcome exists. */
async function complete(outcome: Outcome, tools: QueryTools): Promise<Outcome> {
  const made = await members<ArtifactState>(
    tools,
    listPrefix.artifactsOfTask(outcome.task_id),
    stateKey.artifact,
  );
  return {
    ...outcome,
    messages: said(outcome.task_id, tools),
    artifacts: made.map(({ resource }) => resource),
  };
}

function said(taskId: string, { reader }: QueryTools): Outcome['messages'] {
  const ids = (reader.get<TaskState>(stateKey.task(taskId))?.internal.said ?? []).map(idOfSaid);
  const states = ids.map((id) => reader.get<MessageState>(stateKey.message(id)));
  return states.flatMap((state) => state?.resource ?? []);
}

async function members<State extends object>(
  { log, reader }: QueryTools,
  prefix: string,
  keyOf: (id: string) => string,
): Promise<State[]> {
  const keys = await log.indexKeys({ gt: prefix, lt: `${prefix}~`, limit: MAX_SHOWN });
  const states = keys.map((key) => reader.get<State>(keyOf(key.slice(prefix.length))));
  return states.filter((state) => state !== undefined);
}
