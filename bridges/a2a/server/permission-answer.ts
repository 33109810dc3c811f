import type { JsonObject } from '#protocol/json.ts';
import type { Part } from '#resources/message/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { isObject } from '../../../mappings/a2a/events.ts';

const YES: readonly string[] = ['yes', 'y', 'approve', 'approved', 'allow', 'ok'];
const NO: readonly string[] = ['no', 'n', 'deny', 'denied', 'reject', 'cancel'];

/**
 * The decision that a client's message is, as the part a tool confirmation has; undefined for a message that is simply an
 * answer. A data part with `approved` or `option_id` decides, or the name or id of an option as text; what an agent asks in
 * words of its own is decided only by a data part that names the request. Throws InvalidParams when a tool waits and the
 * message decides nothing: no guess is made about what may be done.
 */
export function decisionIn(
  parts: readonly Part[],
  { id, request, source }: PermissionRequest,
): Part | undefined {
  if (request.kind === 'elicitation') return undefined;
  const stated = parts.map(statedIn).find((value) => value !== undefined);
  const isOwnWords = request.kind === 'authorization' && source === 'hitl';
  if (isOwnWords) return stated?.['request_id'] === id ? decision(id, stated) : undefined;
  if (stated !== undefined) return decision(id, stated);
  const byWord = decisionByWord(parts, request);
  if (byWord !== undefined) return decision(id, byWord);
  const names = request.options.map(({ option_id }) => option_id).join(', ');
  throw refusal(
    'InvalidParams',
    `The task waits for a decision. Send a data part {"option_id": ...} with one of: ${names}.`,
    'message.parts',
  );
}

function decisionByWord(
  parts: readonly Part[],
  { options }: PermissionRequest['request'],
): JsonObject | undefined {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  const word = text.trim().toLowerCase();
  const option = options.find(({ option_id, name }) =>
    [option_id, name].some((it) => it.toLowerCase() === word),
  );
  if (option !== undefined) return { option_id: option.option_id };
  if (YES.includes(word)) return { approved: true };
  return NO.includes(word) ? { approved: false } : undefined;
}

function statedIn(part: Part): JsonObject | undefined {
  if (part.type !== 'json' || !isObject(part.value)) return undefined;
  return 'approved' in part.value || 'option_id' in part.value ? part.value : undefined;
}

function decision(requestId: string, { approved, option_id, reason }: JsonObject): Part {
  const value: JsonObject = {
    request_id: requestId,
    ...(approved === undefined ? {} : { approved }),
    ...(option_id === undefined ? {} : { option_id }),
    ...(reason === undefined ? {} : { reason }),
  };
  return { type: 'json', value, visibility: 'public' };
}
