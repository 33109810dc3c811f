import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import type { Conversation } from './conversation.ts';
import { clientWords, roleOf } from './live-roles.ts';
import { type LiveClientMethod, METHOD_OPERATIONS, type ParamsOf } from './params.ts';
import { followed } from './sessions.ts';

/** Faults of these methods are faults of their parameters. */
const AS_PARAMS: readonly unknown[] = ['conflict', 'resource_not_found', 'payload_too_large'];

/** The operation that a method is, for the client that it names, or that this connection is. */
async function called<Method extends LiveClientMethod>(
  talk: Conversation,
  method: Method,
  sessionId: string,
  body?: JsonObject,
): Promise<JsonObject> {
  try {
    const call = { path: { session_id: sessionId }, ...(body === undefined ? {} : { body }) };
    return await talk.calls.json(METHOD_OPERATIONS[method], call);
  } catch (error) {
    const code = error instanceof RpcError ? objectOf(objectOf(error.fault.data)['harn'])['code'] : undefined;
    if (!(error instanceof RpcError) || !AS_PARAMS.includes(code)) throw error;
    throw new RpcError(ACP_ERRORS.invalid_params, error.message, error.fault.data);
  }
}

export async function listLiveClients(
  talk: Conversation,
  { sessionId }: ParamsOf<'session/live_clients'>,
): Promise<JsonValue> {
  const { data } = await called(talk, 'session/live_clients', sessionId);
  return { clients: data ?? [] };
}

/** The connection is this client from now on, and is held to its role. */
export async function attachClient(
  talk: Conversation,
  params: ParamsOf<'session/attach'>,
): Promise<JsonValue> {
  const { sessionId, clientId = talk.clientId, mode, takeover, metadata = clientWords(talk) } = params;
  const { promptInjection: injects, permissionRouting: routes } = params;
  const change = await called(talk, 'session/attach', sessionId, {
    client_id: clientId,
    mode,
    takeover,
    ...(injects === undefined ? {} : { prompt_injection: injects }),
    ...(routes === undefined ? {} : { permission_routing: routes }),
    metadata,
  });
  await attached(talk, sessionId, clientId, change);
  return change;
}

export async function takeoverClient(
  talk: Conversation,
  params: ParamsOf<'session/takeover'>,
): Promise<JsonValue> {
  const { sessionId, clientId = talk.clientId } = params;
  const change = await called(talk, 'session/takeover', sessionId, {
    ...requestOf(talk, params),
    metadata: params.metadata ?? clientWords(talk),
  });
  await attached(talk, sessionId, clientId, change);
  return change;
}

export async function detachClient(
  talk: Conversation,
  params: ParamsOf<'session/detach'>,
): Promise<JsonValue> {
  const change = await called(talk, 'session/detach', params.sessionId, requestOf(talk, params));
  if (talk.roles.get(params.sessionId)?.clientId === (params.clientId ?? talk.clientId))
    talk.roles.delete(params.sessionId);
  return change;
}

export async function heartbeat(
  talk: Conversation,
  params: ParamsOf<'session/heartbeat'>,
): Promise<JsonValue> {
  return called(talk, 'session/heartbeat', params.sessionId, requestOf(talk, params));
}

function requestOf(
  talk: Conversation,
  { clientId = talk.clientId, reason, metadata }: ParamsOf<'session/detach'>,
) {
  return {
    client_id: clientId,
    ...(reason ? { reason } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A client that attached follows the Session, so that it learns who takes over. */
async function attached(
  talk: Conversation,
  sessionId: string,
  clientId: string,
  change: JsonObject,
): Promise<void> {
  talk.roles.set(sessionId, roleOf(clientId, change));
  const session = await followed(talk, sessionId);
  session.roleChanged();
}
