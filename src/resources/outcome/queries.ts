import type { Handlers } from '#core/command.ts';
import { listAmong, listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import { idOfSaid } from '#resources/message/fold.ts';
import { type MessageState, messageKeys } from '#resources/message/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { outcomeOf } from './fold.ts';
import { loadOutcome } from './load-outcome.ts';
import type { Outcome } from './schema.ts';
import { type OutcomeState, outcomeKeys } from './state.ts';

/** Messages and artifacts shown in one Outcome; the lists of the task have the rest. */
const MAX_SHOWN = 100;

const listOutcomes: Query<'listOutcomes'> = async ({ query }, tools) => {
  const task = query.task_id ? load(tools.reader, tools.caller, 'task', query.task_id, 'task_id') : undefined;
  const shape = async (state: object) => {
    const ended = task ?? tools.reader.get<TaskState>(taskKeys.task((state as OutcomeState).task_id));
    return ended && complete(ended, tools);
  };
  if (task) {
    const { id, outcome_id } = task.resource;
    const request = { ...paging(query), keyOf: () => taskKeys.task(id), shape };
    return listAmong(tools, outcome_id === null ? [] : [outcome_id], request);
  }
  const lists = (await visibleWorkspaces(tools)).map(outcomeKeys.outcomesOfWorkspace);
  return listPage(tools, { lists, ...paging(query), keyOf: (id, prefix) => prefix + id, shape });
};

const getOutcome: Query<'getOutcome'> = async ({ path }, tools) =>
  ok(await complete(await loadOutcome(tools, path.outcome_id), tools), tools.caller);

/** Fills in what the task's agent said and made; both lists are final once the Outcome exists. */
async function complete(task: TaskState, tools: QueryTools): Promise<Outcome> {
  const outcome = outcomeOf(task);
  if (outcome === undefined)
    throw new Error(`The task ${task.resource.id} has an outcome and has not ended.`);
  const made = await members<ArtifactState>(
    tools,
    artifactKeys.artifactsOfTask(outcome.task_id),
    artifactKeys.artifact,
  );
  return {
    ...outcome,
    messages: said(task, tools),
    artifacts: made.map(({ resource }) => resource),
  };
}

function said({ internal }: TaskState, { reader }: QueryTools): Outcome['messages'] {
  const states = internal.said.map((said) => reader.get<MessageState>(messageKeys.message(idOfSaid(said))));
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

export const handlers = {
  getOutcome,
  listOutcomes,
} satisfies Partial<Handlers>;
