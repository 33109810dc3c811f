import { createHash } from 'node:crypto';
import type { FaceDeps } from '#face.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Task } from '#resources/task/schema.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { objectOf } from '../object-of.ts';
import type { OfferedTool } from './offered-tools.ts';
import type { ClientCall } from './requests.ts';

const IDEMPOTENCY_KEY = 'dev.harn-gateway/idempotency-key';
const PERSONA = 'dev.harn-gateway/persona';

/** Submits a call as a Task. `_meta` may carry an idempotency key, and name the Persona that the call is made for. */
export async function submitCall(
  { gateway }: FaceDeps,
  { exchange, sessionKey, hasSession }: ClientCall,
  tool: OfferedTool,
  params: JsonObject,
): Promise<Task> {
  const input = objectOf(params['arguments']);
  const meta = objectOf(params['_meta']);
  const key = meta[IDEMPOTENCY_KEY];
  const keyed = typeof key === 'string' ? { idempotencyKey: key } : {};
  const { defaultWorkspace } = exchange.caller();
  const body = {
    input: { role: 'user', parts: [partOf(tool, input, callIdOf(exchange.requestId, keyed))] },
    metadata: { route: tool.route },
    ...personaOf(meta),
    session: {
      workspace_id: defaultWorkspace,
      key: sessionKey,
      // Tools run side by side, as on a connection to their server; an agent hears one thing after the other in a session.
      parallel: tool.kind === 'skill' || !hasSession,
      metadata: { mcp: {} },
    },
  } as unknown as JsonObject;
  return ask<Task>(gateway, 'submitTask', exchange.call({ body, ...keyed }));
}

/** Its tier, tools and quotas hold for the call, as for a Task that names it in any other way. */
function personaOf(meta: JsonObject): { persona_id?: string } {
  const persona = meta[PERSONA];
  if (persona === undefined) return {};
  if (typeof persona === 'string') return { persona_id: persona };
  throw new ProtocolError('invalid_request', `_meta: ${PERSONA} must be the id of a Persona.`, {
    param: 'params._meta',
  });
}

/** In the shape that model providers use. A call that is sent again with its key is the same call, not another one. */
function callIdOf(requestId: string, { idempotencyKey: key }: { idempotencyKey?: string }): string {
  if (key === undefined) return `call_${requestId.slice(requestId.indexOf('_') + 1)}`;
  return `call_${createHash('sha256').update(key).digest('hex').slice(0, 26)}`;
}

function partOf(tool: OfferedTool, input: JsonObject, tool_call_id: string): JsonObject {
  if (tool.kind === 'agent') {
    const { message } = input;
    if (typeof message === 'string') return { type: 'text', text: message, visibility: 'public' };
    throw new ProtocolError('invalid_request', 'arguments.message: must be a text.', {
      param: 'params.arguments.message',
    });
  }
  const name = tool.route.slice('skill:'.length);
  return { type: 'tool_call', tool_call_id, name, input, visibility: 'public' };
}
