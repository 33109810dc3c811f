import { pathOf } from '#core/decode-input.ts';
import { wordsOf } from '#core/words-of-fault.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { MessageInput } from '#resources/message/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { openRequestsOf } from './permission-request.ts';
import { type ToolConfirmation, toolConfirmation } from './schema.ts';
import { type CleanPermissionRequestState, permissionKeys } from './state.ts';

/** The decision in a message of kind tool_confirmation: its first json part. */
export function readConfirmation(
  tx: Transaction,
  task: CleanTaskState,
  { parts }: MessageInput,
): ToolConfirmation {
  const at = parts.findIndex(({ type }) => type === 'json');
  const part = parts[at];
  if (part?.type !== 'json') {
    if (!openRequestsOf(tx, task.resource.id).some(isApproval)) throw nothingToConfirm(task);
    const message =
      'A tool confirmation has a json part such as {"request_id":"permission_request_...","approved":true}.';
    throw new ProtocolError('invalid_request', message, { param: 'message.parts' });
  }
  const parsed = toolConfirmation.safeParse(part.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = pathOf(['message', 'parts', at, 'value', ...(issue?.path ?? [])]);
    throw new ProtocolError('invalid_request', `${param}: ${issue ? wordsOf(issue) : 'is invalid'}.`, {
      param,
    });
  }
  const { option_id, ...value } = parsed.data;
  return option_id === undefined ? value : { ...value, answer: value.answer ?? { option_id } };
}

/** The tool or authorization request a confirmation is about: the named one, or the only one that is open. */
export function requestToConfirm(
  tx: Transaction,
  task: CleanTaskState,
  { request_id, tool_call_id }: ToolConfirmation,
): CleanPermissionRequestState {
  if (request_id !== undefined) return named(tx, task, request_id);
  const open = openRequestsOf(tx, task.resource.id).filter(isApproval);
  const fitting = open.filter(({ resource }) => {
    return tool_call_id === undefined || resource.request.tool_call?.tool_call_id === tool_call_id;
  });
  const [request] = fitting;
  if (!request) throw nothingToConfirm(task);
  if (fitting.length === 1) return request;
  throw new ProtocolError('invalid_request', 'Several tool calls wait. Name one by request_id.', {
    param: 'message.parts',
    details: { request_ids: fitting.map(({ resource }) => resource.id) },
  });
}

function named(tx: Transaction, task: CleanTaskState, requestId: string): CleanPermissionRequestState {
  const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(requestId));
  if (request?.resource.task_id !== task.resource.id || !isApproval(request)) throw nothingToConfirm(task);
  return request;
}

function isApproval({ resource }: CleanPermissionRequestState): boolean {
  return resource.request.kind !== 'elicitation';
}

function nothingToConfirm({ resource }: CleanTaskState): ProtocolError {
  const message = 'No tool call or authorization of this task with this id waits for a confirmation.';
  return new ProtocolError('invalid_state_transition', message, {
    param: 'kind',
    details: { status: resource.status },
  });
}
