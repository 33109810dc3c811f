import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { planFor, requestOf, submitReplay } from './submit-replay.ts';

/** Refused early where the request is wrong or something it needs is missing; whatever else it finds is in its own log. */
export const replayTask: Command<'replayTask'> = {
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
