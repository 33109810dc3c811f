import type { FaceMethods } from '#face.ts';

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
  '_harn/mcp/message': 'submitSessionTask',
  '_harn/mcp/close': 'submitSessionTask',
} as const satisfies FaceMethods<AgentMethod>;

export function isAgentMethod(method: string): method is AgentMethod {
  return Object.hasOwn(METHOD_OPERATIONS, method);
}
