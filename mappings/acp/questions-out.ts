import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { ELICITATION_METHOD, PERMISSION_METHOD } from './permission-answers.ts';

/** What a client said it can be asked. Spec: ACP v1, `clientCapabilities.elicitation`; an empty object is neither. */
export interface Asks {
  form: boolean;
  url: boolean;
}

export interface Question {
  method: string;
  params: JsonObject;
  /** The body of `respondPermissionRequest` that the client's result is; undefined: the turn is over, nothing to say. */
  read(result: JsonValue): JsonObject | undefined;
}

/** A permission request as the request of a client; undefined when the client cannot be asked that way. */
export function questionOf(request: PermissionRequest, sessionId: string, asks: Asks): Question | undefined {
  const { kind, url } = request.request;
  const meta = { _meta: { harn: { permissionRequestId: request.id, taskId: request.task_id } } };
  if (url !== undefined && asks.url) return pageOf(request, url, { sessionId, ...meta });
  if (kind === 'elicitation') return asks.form ? formOf(request, { sessionId, ...meta }) : undefined;
  return approvalOf(request, { sessionId, ...meta });
}

function approvalOf({ id, request, metadata }: PermissionRequest, common: JsonObject): Question {
  const call = objectOf(objectOf(metadata['acp'])['tool_call']);
  const title = request.url === undefined ? request.message : `${request.message} ${request.url}`;
  const input = request.tool_call?.input;
  const toolCall = {
    title,
    ...(input === undefined ? {} : { rawInput: input }),
    ...call,
    toolCallId: textOf(call['toolCallId']) ?? request.tool_call?.tool_call_id ?? id,
  };
  const options = request.options.map(({ option_id, name, kind }) => ({ optionId: option_id, name, kind }));
  return { method: PERMISSION_METHOD, params: { ...common, toolCall, options }, read: readOutcome };
}

/** The option decides, not the word `selected`: whoever chose reject has rejected. */
function readOutcome(result: JsonValue): JsonObject | undefined {
  const outcome = objectOf(objectOf(result)['outcome']);
  const optionId = textOf(outcome['optionId']);
  if (outcome['outcome'] === 'cancelled') return undefined;
  if (outcome['outcome'] !== 'selected' || optionId === undefined) {
    return { outcome: 'denied', reason: 'The client gave no answer that ACP has.' };
  }
  return { outcome: 'selected', answer: { option_id: optionId } };
}

const PLAIN_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
};

/** A question without a schema is a form of one field. */
function formOf({ request }: PermissionRequest, common: JsonObject): Question {
  const given = request.requested_schema;
  const hasSchema = isObject(given) && isObject(given['properties']);
  const params = {
    ...common,
    mode: 'form',
    message: request.message,
    requestedSchema: hasSchema ? given : PLAIN_SCHEMA,
  };
  const read = (result: JsonValue): JsonObject | undefined => {
    const { action, content } = objectOf(result);
    if (action === 'cancel') return undefined;
    if (action !== 'accept') return { outcome: 'denied', reason: 'The form was declined.' };
    const answer = hasSchema ? (content ?? {}) : (objectOf(content)['answer'] ?? '');
    return { outcome: 'approved', answer };
  };
  return { method: ELICITATION_METHOD, params, read };
}

function pageOf({ id, request }: PermissionRequest, url: string, common: JsonObject): Question {
  const params = { ...common, mode: 'url', elicitationId: id, url, message: request.message };
  const read = (result: JsonValue): JsonObject | undefined => {
    const { action } = objectOf(result);
    if (action === 'cancel') return undefined;
    return action === 'accept'
      ? { outcome: 'approved' }
      : { outcome: 'denied', reason: 'The page was declined.' };
  };
  return { method: ELICITATION_METHOD, params, read };
}
