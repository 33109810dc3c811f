import type { InitializeResponse } from '@agentclientprotocol/sdk';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import type { RequestContext } from '../../wire/peer.ts';
import { type Conversation, maxMessageBytes } from './conversation.ts';
import { attachClient, detachClient, heartbeat, listLiveClients, takeoverClient } from './live-clients.ts';
import type { AgentMethod, ParamsOf } from './params.ts';
import { prompt } from './prompt.ts';
import {
  closeSession,
  deleteSession,
  listSessions,
  loadSession,
  newSession,
  resumeSession,
  setConfigOption,
  setMode,
} from './sessions.ts';

type Handler<Method extends AgentMethod> = (
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
  'session/live_clients': listLiveClients,
  'session/attach': attachClient,
  'session/takeover': takeoverClient,
  'session/detach': detachClient,
  'session/heartbeat': heartbeat,
  '_harn/mcp/message': async ({ tunnels, peer }, { connectionId, message }) => {
    tunnels.received(peer, connectionId, message);
    return {};
  },
  '_harn/mcp/close': async ({ tunnels, peer }, { connectionId, reason }) => {
    tunnels.ended(peer, connectionId, reason ?? 'The MCP server is gone.');
    return {};
  },
};

const PROTOCOL_VERSION = 1;

/** Only what is served. MCP servers of the client run on its own machine, which the gateway does not reach. */
const capabilities = (maxMessageBytes: number) =>
  ({
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
    _meta: {
      harn: {
        resumeCursor: true,
        idempotencyKeys: true,
        mcpTunnel: true,
        liveClients: true,
        maxMessageBytes,
      },
    },
  }) as const satisfies InitializeResponse['agentCapabilities'];

/** The credential came with the connection; there is nothing to do, and nothing to be asked for. */
const AUTH_METHODS = [
  {
    id: 'harn-key',
    name: 'Key of the gateway',
    description: 'Give the launcher a key: harn-gateway acp --key-file FILE, or HARN_GATEWAY_KEY.',
  },
] as const satisfies InitializeResponse['authMethods'];

/** The newest version that both may speak is 1; a client that cannot live with it closes. */
export async function initialize(talk: Conversation, params: ParamsOf<'initialize'>): Promise<JsonValue> {
  talk.calls.admit('listCapabilities');
  talk.isInitialized = true;
  talk.clientCapabilities = params.clientCapabilities ?? {};
  talk.clientInfo = params.clientInfo ?? {};
  talk.clientId = textOf(objectOf(params._meta?.['harn'])['clientId']) ?? talk.clientId;
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: capabilities(maxMessageBytes(talk.deps)),
    authMethods: [...AUTH_METHODS],
    agentInfo: { name: 'harn-gateway', title: 'Harn gateway', version: talk.deps.version },
  } satisfies InitializeResponse as unknown as JsonObject;
}

async function authenticate(talk: Conversation): Promise<JsonValue> {
  talk.calls.admit('listCapabilities');
  return {};
}
