import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { askedPages, resultWithoutSession } from '../../../../mappings/mcp/eras.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { Fault } from '../../../wire/faults.ts';
import { RpcError } from '../../client/faults.ts';
import { objectOf } from '../../object-of.ts';

/** Names of the revision without sessions in `_meta`; to servers with one they say nothing. */
const RESERVED = 'io.modelcontextprotocol/';

/** The parameters of a request as the server gets them: its answers and its state stay here where the server keeps a session. */
export function passedParams(params: JsonObject, isStateless: boolean): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params;
  // Its own progress token is that of the client, which may be in use for another one.
  const { progressToken, ...given } = objectOf(_meta);
  const kept = Object.entries(given).filter(([name]) => isStateless || !name.startsWith(RESERVED));
  const rounds = {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
  return {
    ...rest,
    ...(isStateless ? rounds : {}),
    ...(kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }),
  };
}

/** What a request is about: a state that came with its answer is of no other one. */
export function subjectOf(method: string, { name, uri, ref }: JsonObject): string {
  return JSON.stringify([method, name ?? uri ?? ref ?? null]);
}

/** Resources whose changes a client listens for. */
export function watchedUris(method: string, { notifications }: JsonObject): string[] {
  const { resourceSubscriptions: uris } = objectOf(notifications);
  if (method !== 'subscriptions/listen' || !Array.isArray(uris)) return [];
  return [...new Set(uris.filter((uri): uri is string => typeof uri === 'string'))];
}

/** A JSON-RPC error. What a server with a session calls a missing resource is wrong parameters without one. */
export function wireError(error: unknown): { code: number; message: string; data?: JsonValue } {
  if (error instanceof RpcError) {
    const { message, data } = error;
    const isMissing = error.code === MCP_ERRORS.resource_not_found;
    const code = isMissing ? MCP_ERRORS.invalid_params : error.code;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  const code = MCP_ERRORS.internal_error;
  if (!(error instanceof Fault)) return { code, message: 'The request failed.' };
  return { code, message: error.message, data: { harn: { code: error.code, details: error.details } } };
}

/**
 * A server with a session that wants pages opened first says so by an error; without one it is a result that asks. The
 * request is made anew then. Rethrows any other error. Spec: MCP 2025-11-25, "URL Elicitation Required Error".
 */
export function askedByError(error: unknown, method: string, offered: JsonObject): JsonObject {
  if (!(error instanceof RpcError) || error.code !== MCP_ERRORS.url_elicitation_required) throw error;
  if (objectOf(offered['elicitation'])['url'] === undefined) {
    const data = { requiredCapabilities: { elicitation: { url: {} } } };
    throw new RpcError(MCP_ERRORS.missing_capability, error.message, data);
  }
  const inputRequests = askedPages(error.data);
  // Who is asked nothing would send the same again at once, and for ever.
  if (Object.keys(inputRequests).length === 0) throw error;
  return { ...resultWithoutSession(method, {}), resultType: 'input_required', inputRequests };
}
