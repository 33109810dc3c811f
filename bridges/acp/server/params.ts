import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { ServerMethods } from '#protocol-server.ts';
import { invalidParams } from '../../wire/json-rpc.ts';

const json = z.custom<JsonValue>((value) => value !== undefined);
const object = z.custom<JsonObject>(isObject, 'must be an object');
const meta = object.nullish();
const sessionId = z.string().min(1).max(200);
const path = z
  .string()
  .max(4_096)
  .regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path');
/** Some clients leave the list out, which v1 requires. */
const mcpServers = z.array(object).max(100).default([]);
const place = {
  cwd: path,
  mcpServers,
  additionalDirectories: z.array(path).max(100).optional(),
  _meta: meta,
};

const clientId = z.string().trim().min(1).max(200);
/** Left out, the client is the one that `initialize` named. */
const liveClient = z.object({
  sessionId,
  clientId: clientId.optional(),
  reason: z.string().max(2_000).nullish(),
  metadata: object.optional(),
  _meta: meta,
});

/** One shape per method; unknown members pass, as ACP asks for. */
const PARAMS = {
  initialize: z.object({
    protocolVersion: z.int().min(0).max(65_535),
    clientCapabilities: object.nullish(),
    clientInfo: object.nullish(),
    _meta: meta,
  }),
  authenticate: z.object({ methodId: z.string(), _meta: meta }),
  'session/new': z.object(place),
  'session/load': z.object({ sessionId, ...place }),
  'session/resume': z.object({ sessionId, ...place, cwd: path.optional() }),
  'session/list': z.object({ cwd: path.nullish(), cursor: z.string().max(512).nullish(), _meta: meta }),
  'session/close': z.object({ sessionId, _meta: meta }),
  'session/delete': z.object({ sessionId, _meta: meta }),
  'session/set_mode': z.object({ sessionId, modeId: z.string().min(1).max(200), _meta: meta }),
  'session/set_config_option': z.object({
    sessionId,
    configId: z.string().min(1).max(200),
    value: z.union([z.string().max(1_000), z.boolean()]),
    _meta: meta,
  }),
  'session/prompt': z.object({ sessionId, prompt: z.array(json).min(1).max(1_000), _meta: meta }),
  'session/cancel': z.object({ sessionId, _meta: meta }),
  'session/live_clients': z.object({ sessionId, _meta: meta }),
  'session/attach': z.object({
    sessionId,
    clientId: clientId.optional(),
    mode: z.enum(['observer', 'controller']).default('observer'),
    takeover: z.boolean().default(false),
    promptInjection: z.boolean().optional(),
    permissionRouting: z.boolean().optional(),
    metadata: object.optional(),
    _meta: meta,
  }),
  'session/takeover': liveClient,
  'session/detach': liveClient,
  'session/heartbeat': liveClient,
  '_harn/mcp/message': z.object({ connectionId: z.string().min(1).max(200), message: object, _meta: meta }),
  '_harn/mcp/close': z.object({
    connectionId: z.string().min(1).max(200),
    reason: z.string().max(1_000).optional(),
    _meta: meta,
  }),
} as const satisfies Record<AgentMethod, z.ZodType>;

export type ParamsOf<Method extends AgentMethod> = z.output<(typeof PARAMS)[Method]>;

/** The parameters of a method; throws RpcError with the path of the first fault. */
export function readParams<Method extends AgentMethod>(method: Method, params: JsonObject): ParamsOf<Method> {
  const parsed = PARAMS[method].safeParse(params);
  if (parsed.success) return parsed.data as ParamsOf<Method>;
  const [issue] = parsed.error.issues;
  throw invalidParams(issue?.path.join('.') || 'params', issue?.message ?? 'is invalid');
}

/** What Harn has beside ACP v1: who works in a Session, and who controls it. */
export type LiveClientMethod =
  | 'session/live_clients'
  | 'session/attach'
  | 'session/takeover'
  | 'session/detach'
  | 'session/heartbeat';

/** Methods that a client of ACP v1 may call. Spec: ACP v1, agent methods. */
export type AgentMethod =
  | 'initialize'
  | 'authenticate'
  | 'session/new'
  | 'session/load'
  | 'session/resume'
  | 'session/list'
  | 'session/close'
  | 'session/delete'
  | 'session/set_mode'
  | 'session/set_config_option'
  | 'session/prompt'
  | 'session/cancel'
  | LiveClientMethod
  | '_harn/mcp/message'
  | '_harn/mcp/close';

/** The operation that each method is; its scope is asked for when the operation is called. */
export const METHOD_OPERATIONS = {
  initialize: 'listCapabilities',
  authenticate: 'listCapabilities',
  'session/new': 'createSession',
  'session/load': 'streamSessionEvents',
  'session/resume': 'streamSessionEvents',
  'session/list': 'listSessions',
  'session/close': 'cancelTask',
  'session/delete': 'closeSession',
  'session/set_mode': 'updateSession',
  'session/set_config_option': 'updateSession',
  'session/prompt': 'submitSessionTask',
  'session/cancel': 'cancelTask',
  'session/live_clients': 'listSessionLiveClients',
  'session/attach': 'attachSessionClient',
  'session/takeover': 'takeoverSessionClient',
  'session/detach': 'detachSessionClient',
  'session/heartbeat': 'heartbeatSessionClient',
  '_harn/mcp/message': 'submitSessionTask',
  '_harn/mcp/close': 'submitSessionTask',
} as const satisfies ServerMethods<AgentMethod>;

export function isAgentMethod(method: string): method is AgentMethod {
  return Object.hasOwn(METHOD_OPERATIONS, method);
}
