import type { DecisionTools, Facts } from '#core/facts.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { decisionOfHalt, type HaltedTarget, type Halts, haltOn } from '#policy/halts.ts';
import { type Clean, sentence, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Failure, isTerminal } from '#protocol/task-states.ts';
import { skillId } from '#resources/skill/skills.ts';
import { moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { haltsInForce } from './fold.ts';

/** The halts in force as actions are judged by them. */
export function targetsInForce(reader: StateReader): Halts['inForce'] {
  const halts = haltsInForce(reader);
  if (halts.length === 0) return undefined;
  return halts.map(({ id, route, tool, reason }) => ({
    id,
    route,
    tool,
    reason,
    skillId: tool === null ? null : skillId(route, tool),
  }));
}

/** The halt that stops a task. A replay asks no agent, so nothing stops it. */
export function haltOfTask(halts: Halts, { internal }: CleanTaskState): HaltedTarget | undefined {
  if (halts.inForce === undefined || internal.replay) return undefined;
  const { route, skill_id } = internal;
  return haltOn(halts, { route, ...(skill_id === undefined ? {} : { skillId: skillId(route, skill_id) }) });
}

/** Ends a task of what is halted. Returns false where there is nothing to end. */
export function endHalted(tx: Transaction, tools: DecisionTools, taskId: string): boolean {
  const task = tx.get<CleanTaskState>(taskKeys.task(taskId));
  const halt = task && haltOfTask({ inForce: targetsInForce(tx) }, task);
  if (halt === undefined || isTerminal(task?.resource.status ?? 'FAILED')) return false;
  const { rule, because } = decisionOfHalt(halt);
  const failure: Clean<Failure> = {
    code: word('policy_violation'),
    type: word('permission_error'),
    message: sentence`${because} The task was ended; submit it again when the halt is released.`,
    details: { rule, halt_id: halt.id },
  };
  return moveTask(tx, tools, taskId, 'FAILED', { failure });
}

/** The same for a Skill that nobody knows meanwhile, because its server was ended with the halt. */
export function refuseHaltedSkill(
  { routes, self }: Pick<Facts, 'routes' | 'self'>,
  { route: name }: JsonObject,
): void {
  if (typeof name !== 'string' || routes.find(name) !== undefined) return;
  const route = routes.awaited(name);
  if (route !== undefined) refuseHalted(self.halts, { route });
}

/** Refuses a task for what is halted, before it is accepted. Throws 422 `policy_violation`. */
export function refuseHalted(
  halts: Halts,
  { route, skillId: own }: { route: string; skillId?: string },
): void {
  if (halts.inForce === undefined) return;
  const halt = haltOn(halts, { route, ...(own === undefined ? {} : { skillId: skillId(route, own) }) });
  if (halt === undefined) return;
  const { rule, because } = decisionOfHalt(halt);
  throw new ProtocolError(
    'policy_violation',
    `${because} Choose another route, or submit again when the halt is released.`,
    { param: 'metadata.route', details: { rule, halt_id: halt.id } },
  );
}
