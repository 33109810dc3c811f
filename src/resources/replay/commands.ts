import type { Command, Handlers } from '#core/command.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { CleanSessionFold } from '#resources/session/state.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { replayQueries } from './queries.ts';
import { type ReplayTaskRequest, replayCheckRequest } from './schema.ts';
import { planFor, requestOf, submitReplay } from './submit-replay.ts';

/** Refused early where the request is wrong or something it needs is missing; whatever else it finds is in its own log. */
const replayTask: Command<'replayTask'> = {
  decide({ path, body }, tx, facts) {
    const source = load(tx, facts.caller, 'task', path.task_id);
    planFor(tx, facts, source, requestOf(body));
    return { effect: { kind: 'check_replay', source: { taskId: source.resource.id } } };
  },
  conclude({ path, body }, tx, facts) {
    const source = load(tx, facts.caller, 'task', path.task_id);
    return { body: submitReplay(tx, facts, source, requestOf(body)) };
  },
};

/** Replays the Tasks of a Session in their order; replays among them are not replayed again. */
const replaySession: Command<'replaySession'> = {
  decide({ path, body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id);
    refuseSelective(requestOf(body));
    refuseOpenTasks(session);
    const trace = body?.trace_id ? { traceId: body.trace_id } : {};
    return { effect: { kind: 'check_replay', source: { sessionId: session.resource.id, ...trace } } };
  },
  conclude({ path, body }, tx, facts, { taskIds = [] }) {
    const session = load(tx, facts.caller, 'session', path.session_id);
    refuseOpenTasks(session);
    const request = requestOf(body);
    const tasks = taskIds.flatMap((id) => tx.get<CleanTaskState>(taskKeys.task(id)) ?? []);
    const replays = tasks.map((task) => submitReplay(tx, facts, task, request));
    appendReplayed(tx, session, replays, request);
    return { body: listOf(replays) };
  },
};

/** The check runs on behind the answer. */
const startReplayCheck: Command<'startReplayCheck'> = {
  decide: ({ body }) => ({
    effect: { kind: 'start_replay_check', request: body ?? replayCheckRequest.parse({}) },
  }),
  conclude(_input, _tx, _facts, { replayCheck }) {
    if (replayCheck === undefined) throw new Error('a replay check is begun before it is answered');
    return { body: replayCheck };
  },
  mutexKey: () => 'replay-check',
};

/** What an override or a checkpoint names belongs to one Task. */
function refuseSelective({ mode }: Pick<ReplayTaskRequest, 'mode'>): void {
  if (mode === 'exact') return;
  const message = `A Session is replayed exactly. For ${mode}, replay one of its Tasks.`;
  throw new ProtocolError('invalid_request', message, { param: 'mode' });
}

function refuseOpenTasks({ internal }: CleanSessionFold): void {
  if (internal.open_tasks.length === 0) return;
  const message = 'A Task of this Session has not ended. Wait for its end, or cancel it, and replay it then.';
  throw new ProtocolError('conflict', message, { details: { open_tasks: internal.open_tasks } });
}

function appendReplayed(
  tx: Transaction,
  { resource }: CleanSessionFold,
  replays: readonly Clean<Task>[],
  { mode }: Pick<ReplayTaskRequest, 'mode'>,
): void {
  const payload = { task_ids: replays.map(({ id }) => id), mode };
  tx.append(
    newEvent('session.replayed', { object: 'session', id: resource.id }, placeOfSession(resource), payload),
  );
}

function listOf(data: readonly Task[]): object {
  const page = { has_more: false, next_cursor: null };
  return { object: 'list', data, page, ...page };
}

export const handlers = {
  ...replayQueries,
  replaySession,
  replayTask,
  startReplayCheck,
} satisfies Partial<Handlers>;
