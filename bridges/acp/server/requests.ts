import type { JsonValue } from '#protocol/json.ts';
import type { RequestContext } from '../wire/peer.ts';
import type { Conversation } from './conversation.ts';
import { authenticate, initialize } from './initialize.ts';
import type { AgentMethod } from './method-operations.ts';
import type { ParamsOf } from './params.ts';
import { prompt } from './prompt.ts';
import { setConfigOption, setMode } from './session-options.ts';
import {
  closeSession,
  deleteSession,
  listSessions,
  loadSession,
  newSession,
  resumeSession,
} from './sessions.ts';

export type Handler<Method extends AgentMethod> = (
  talk: Conversation,
  params: ParamsOf<Method>,
  context: RequestContext,
) => Promise<JsonValue>;

/** What each method does. */
export const METHODS: { readonly [Method in AgentMethod]: Handler<Method> } = {
  initialize,
  authenticate,
  'session/new': newSession,
  'session/load': loadSession,
  'session/resume': resumeSession,
  'session/list': listSessions,
  'session/close': closeSession,
  'session/delete': deleteSession,
  'session/set_mode': setMode,
  'session/set_config_option': setConfigOption,
  'session/prompt': prompt,
  'session/cancel': async (talk, { sessionId }) => {
    talk.prompts.cancel(sessionId);
    return {};
  },
  '_harn/mcp/message': async ({ tunnels, peer }, { connectionId, message }) => {
    tunnels.received(peer, connectionId, message);
    return {};
  },
  '_harn/mcp/close': async ({ tunnels, peer }, { connectionId, reason }) => {
    tunnels.ended(peer, connectionId, reason ?? 'The MCP server is gone.');
    return {};
  },
};
