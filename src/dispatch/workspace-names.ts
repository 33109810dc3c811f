import type { Call, CallHead } from '../gateway.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isRawBody, isSpooledBody } from './decode-input.ts';

/** The id that a name of a workspace stands for; nearly every name is the id itself. */
export type WorkspaceIdOf = (name: string) => string;

/** Members that name a workspace; the owner of a Memory is one where its scope is `workspace`. */
const MEMBERS = ['workspace_id', 'owner_id'] as const;

/**
 * The call with ids where it used another name of a workspace: in its path, its query, its body, and in the Session that a
 * body describes. A call that uses none is returned as it is.
 */
export function withWorkspaceIds<Given extends Call | CallHead>(call: Given, idOf: WorkspaceIdOf): Given {
  const path = renamed(call.path, idOf);
  const query = renamed(call.query, idOf);
  const before = 'body' in call ? call.body : undefined;
  const body = bodyWithIds(before, idOf);
  if (path === call.path && query === call.query && body === before) return call;
  return { ...call, path, query, ...(body === before ? {} : { body }) };
}

function bodyWithIds(body: Call['body'], idOf: WorkspaceIdOf): Call['body'] {
  if (isRawBody(body) || isSpooledBody(body) || !isObject(body)) return body;
  const own = renamed(body, idOf);
  const { session } = own;
  if (!isObject(session)) return own;
  const inner = renamed(session, idOf);
  return inner === session ? own : { ...own, session: inner };
}

/** The same object where nothing changes. */
function renamed<Members extends object>(members: Members, idOf: WorkspaceIdOf): Members {
  let result = members;
  for (const member of MEMBERS) {
    const name = (members as Partial<Record<string, unknown>>)[member];
    const id = typeof name === 'string' ? idOf(name) : name;
    if (id !== name) result = { ...result, [member]: id };
  }
  return result;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
