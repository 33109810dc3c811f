import type { JsonObject } from '#protocol/json.ts';
import type { Move, PermissionDraft, Seen } from '#upstream.ts';
import { isObject, objectOf, objectsOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { decodeOptions, ELICITATION_METHOD, subjectOf } from '../../../mappings/acp/permission-answers.ts';
import { callIdOf, diffMoves, requested, unheardMoves } from './interpret-update.ts';
import type { AcpRecord } from './record.ts';

type Asked = Extract<AcpRecord, { op: 'asked' }>;

/** What an agent asks becomes a permission request that any face can answer. */
export function interpretAsked(asked: Asked, seen: Seen): Move[] {
  const { key, message, remembers, remembered } = asked;
  const params = objectOf(message['params']);
  if (message['method'] === ELICITATION_METHOD)
    return [{ type: 'permission', permission: elicitation(key, params) }];
  const permission = {
    ...approval(asked, params),
    options: decodeOptions(message, remembers),
    ...(remembers ? { subject: subjectOf(message) } : {}),
    ...(remembered === undefined ? {} : { remembered }),
  };
  return [...callMoves(asked, seen), { type: 'permission', permission }];
}

/** A call that nothing was said of before is told like one that an update begins. */
function callMoves({ message, tool }: Asked, seen: Seen): Move[] {
  const call = objectOf(objectOf(message['params'])['toolCall']);
  if (tool === undefined || callIdOf(call) === undefined) return [];
  return [...unheardMoves(call, tool), ...requested(call, tool), ...diffMoves(call, seen)];
}

function approval({ key, tool }: Asked, params: JsonObject): PermissionDraft {
  const call = objectOf(params['toolCall']);
  const title = textOf(call['title']) ?? textOf(call['name']) ?? textOf(call['kind']) ?? 'a tool';
  const input = call['rawInput'];
  return {
    upstreamId: key,
    kind: 'tool',
    source: 'acp',
    message: title,
    toolCall: {
      tool_call_id: (textOf(call['toolCallId']) ?? key).slice(0, 512),
      name: (textOf(call['name']) ?? tool?.name ?? title).slice(0, 200),
      ...(input === undefined ? {} : { input }),
    },
    // The whole call and the options as they came, for faces that speak ACP.
    metadata: { acp: { tool_call: call, options: objectsOf(params['options']) } },
  };
}

/** A page to visit is an authorization; a form is a question. */
function elicitation(key: string, params: JsonObject): PermissionDraft {
  const asked = {
    upstreamId: key,
    source: 'acp' as const,
    message: textOf(params['message']) ?? 'The agent asks for input.',
    metadata: { acp: { mode: params['mode'] ?? 'form' } },
  };
  const url = textOf(params['url']);
  if (params['mode'] === 'url' && url !== undefined) return { ...asked, kind: 'authorization', url };
  const schema = params['requestedSchema'];
  return { ...asked, kind: 'elicitation', ...(isObject(schema) ? { requestedSchema: schema } : {}) };
}
