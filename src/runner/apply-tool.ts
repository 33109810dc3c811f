import type { MoveTarget } from '#core/facts.ts';
import { newEvent, type Pointer, placeOfTask, type SessionPlace } from '#core/new-event.ts';
import { contentHash, sha256Hex } from '#json/canonical.ts';
import { type Clean, type CleanText, own, sentence, word } from '#protocol/clean.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { ToolStep } from '#protocol/tool-step.ts';
import type { Move } from '#protocol-client.ts';
import { boundedValue } from '#resources/permission/permission-request.ts';
import { type CleanApprovedCallState, permissionKeys } from '#resources/permission/state.ts';
import { moveTask, type Span, spanOf } from '#resources/task/move-task.ts';
import type { CleanTaskState } from '#resources/task/state.ts';

/**
 * Appends what a step of a tool call is in words of the protocol; a call has a span of its own inside its turn's. What a
 * call was given and gave is hashed as it is kept, so that a replay finds the same and no secret can be guessed by its hash.
 */
export function applyTool(
  target: MoveTarget,
  task: CleanTaskState,
  { tool }: Clean<Extract<Move, { type: 'tool' }>>,
): void {
  const place = placeOfTask(task.resource);
  const call = {
    tool_call_id: tool.toolCallId,
    name: tool.name,
    server: tool.server ?? null,
    material: target.material,
  };
  const span = spanOfCall(task, tool);
  APPLY[tool.step]({ target, task, place, call, span }, tool as never);
}

interface Context {
  target: MoveTarget;
  task: CleanTaskState;
  place: SessionPlace;
  call: { tool_call_id: CleanText; name: CleanText; server: CleanText | null; material: CleanText };
  span: Span;
}

type Step<Name extends ToolStep['step']> = Clean<Extract<ToolStep, { step: Name }>>;

const APPLY: { readonly [Name in ToolStep['step']]: (context: Context, step: Step<Name>) => void } = {
  requested: applyRequested,
  progress: applyProgress,
  completed: applyCompleted,
  failed: applyFailed,
};

function applyRequested({ target, task, place, call, span }: Context, step: Step<'requested'>): void {
  const { tx, tools } = target;
  const pointer = pointerTo(task);
  const input_sha256 = contentHash(step.input);
  const input = boundedValue(tx, tools, place, step.input);
  tx.append(
    newEvent('tool.requested', pointer, place, {
      ...call,
      input,
      input_sha256,
      ...(step.definitionSha256 === undefined ? {} : { definition_sha256: step.definitionSha256 }),
      ...(step.sideEffect === undefined ? {} : { side_effect: step.sideEffect }),
    }),
  );
  const use = call.server === null ? 'agent.tool_use' : 'agent.mcp_tool_use';
  tx.append(newEvent(use, pointer, place, { ...call, input_sha256 }));
  const parent_span_id = spanOf(task, Math.max(1, task.internal.turns)).span_id;
  tx.append(newEvent('span.started', pointerToSpan(span), place, { ...span, parent_span_id }));
  refuseUncovered(target, task, step, input_sha256);
}

/** An approval is for these arguments and no others: a call with others fails the task, and the agent is asked to stop. */
function refuseUncovered(
  { tx, tools, taskId, material }: MoveTarget,
  { resource }: CleanTaskState,
  { toolCallId, name }: Clean<ToolStep>,
  input_sha256: CleanText,
): void {
  const approved = tx.get<CleanApprovedCallState>(permissionKeys.approvedCall(resource.id, toolCallId));
  if (approved === undefined || approved.input_sha256 === input_sha256) return;
  const failure: Clean<Failure> = {
    code: word('policy_violation'),
    type: word('permission_error'),
    message: sentence`The agent called ${name} with other arguments than the ones that were approved.`,
    details: { approved_sha256: approved.input_sha256, input_sha256, tool_call_id: toolCallId },
  };
  moveTask(tx, tools, taskId, 'FAILED', { material, failure });
  tx.afterCommit(() => tools.runs.forwardCancel(taskId));
}

function applyProgress({ target, place, span }: Context, step: Step<'progress'>): void {
  const { progress, total, message } = step;
  const facts = {
    ...(progress === undefined ? {} : { progress }),
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
  target.tx.append(newEvent('span.updated', pointerToSpan(span), place, { ...span, ...facts }));
}

function applyCompleted({ target, task, place, call, span }: Context, step: Step<'completed'>): void {
  const { tx } = target;
  const pointer = pointerTo(task);
  const output_sha256 = contentHash(step.output);
  tx.append(newEvent('tool.completed', pointer, place, { ...call, output_sha256 }));
  tx.append(newEvent('agent.tool_result', pointer, place, { ...call, status: 'ok', output_sha256 }));
  tx.append(newEvent('span.completed', pointerToSpan(span), place, span));
}

function applyFailed({ target, task, place, call, span }: Context, step: Step<'failed'>): void {
  const { tx } = target;
  const pointer = pointerTo(task);
  const output = step.output === undefined ? {} : { output_sha256: contentHash(step.output) };
  const { failure: error } = step;
  tx.append(newEvent('tool.failed', pointer, place, { ...call, ...output, error }));
  tx.append(newEvent('agent.tool_result', pointer, place, { ...call, status: 'error', ...output }));
  tx.append(newEvent('span.failed', pointerToSpan(span), place, { ...span, started_at: null, error }));
}

/** The id is a function of task and call, so that a replay finds the same. */
function spanOfCall({ resource, internal }: CleanTaskState, { toolCallId, name }: Clean<ToolStep>): Span {
  const span_id = own(sha256Hex(`${resource.id}:tool:${toolCallId}`).slice(0, 16));
  return { span_id, name: sentence`tool ${name}`, route: internal.route };
}

function pointerTo({ resource }: CleanTaskState): Pointer {
  return { object: 'task', id: resource.id };
}

function pointerToSpan({ span_id }: Context['span']): Pointer {
  return { object: 'span', id: span_id };
}
