import { contentHash } from '#core/content-hash.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { decideAction } from '#policy/action.ts';
import type { InnerAction } from '#protocol-client.ts';
import { actionQuestion } from '#resources/permission/action-question.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import type { TaskState } from '#resources/states.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** Judges what an agent asks for in its turn, by what holds now; undefined when it may be done. */
export function judgeAction(
  { tools }: Pick<RunnerDeps, 'tools'>,
  reader: StateReader,
  { resource, internal }: TaskState,
  { toolCallId, name, sideEffect, input }: InnerAction,
): PolicyDecided | undefined {
  const { route } = internal;
  const action = { route, skillId: name, sideEffect };
  const question = actionQuestion(reader, tools.self, resource, action);
  const { effect, rule, because } = decideAction(question);
  if (effect === 'allow') return undefined;
  return {
    effect,
    rule,
    because,
    tier: question.tier,
    side_effect: sideEffect,
    route,
    skill_id: name,
    tool_call_id: toolCallId,
    input_sha256: contentHash(tools.redact(input).value),
  };
}
