import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import { ELICITATION_METHOD, PERMISSION_METHOD } from '../permission-answers.ts';
import { optionsOut } from './options.ts';
import { toolCall } from './updates.ts';

/** What a request of a version 2 client is in version 1, and what its answer is back. */
export interface MethodRow {
  /** The method of version 1; default: the same. */
  method?(params: JsonObject): string;
  params(params: JsonObject): JsonObject;
  result(result: JsonObject): JsonObject;
}

const same = (members: JsonObject): JsonObject => members;

/** Setup answers: modes are gone, options have other names. */
function setupOut({ modes: _, configOptions, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(configOptions === undefined ? {} : { configOptions: optionsOut(configOptions) }) };
}

/** Spec: ACP v2 draft, agent methods. Methods without a row are unknown, also those of version 1. */
export const V2_METHODS: Readonly<Record<string, MethodRow>> = {
  initialize: {
    params: ({ info, capabilities, _meta }) => ({
      protocolVersion: 1,
      clientInfo: info ?? null,
      clientCapabilities: {
        elicitation: objectOf(objectOf(capabilities)['elicitation']),
        session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      },
      ...(_meta === undefined ? {} : { _meta }),
    }),
    result: initialized,
  },
  'session/new': { params: same, result: setupOut },
  'session/resume': {
    method: ({ replayFrom }) =>
      objectOf(replayFrom)['type'] === 'start' ? 'session/load' : 'session/resume',
    params: ({ replayFrom: _, ...rest }) => rest,
    result: setupOut,
  },
  'session/list': { params: same, result: same },
  'session/close': { params: same, result: same },
  'session/delete': { params: same, result: same },
  'session/prompt': { params: same, result: same },
  'session/set_config_option': { params: same, result: setupOut },
  '_harn/mcp/message': { params: same, result: same },
};

/** Notifications of clients that both versions have. */
export const V2_NOTIFICATIONS: readonly string[] = [
  'session/cancel',
  '$/cancel_request',
  '_harn/mcp/message',
  '_harn/mcp/close',
];

/** The same for what the gateway asks a client; the answers have the same form in both versions. */
export const V2_QUESTIONS: Readonly<Record<string, (params: JsonObject) => JsonObject>> = {
  [PERMISSION_METHOD]: ({ toolCall: call, ...rest }) => ({
    ...rest,
    title: textOf(objectOf(call)['title']) ?? 'The agent asks for permission.',
    ...(isObject(call) ? { subject: { type: 'tool_call', toolCall: withoutKind(toolCall(call)) } } : {}),
  }),
  [ELICITATION_METHOD]: same,
};

function withoutKind({ sessionUpdate: _, ...call }: JsonObject): JsonObject {
  return call;
}

/** The credential came with the connection, so there is no login to offer. */
function initialized({ agentInfo, agentCapabilities, _meta }: JsonObject): JsonObject {
  const { promptCapabilities, _meta: own } = objectOf(agentCapabilities);
  const taken = Object.entries(objectOf(promptCapabilities)).filter(([, takes]) => takes === true);
  return {
    protocolVersion: 2,
    info: agentInfo ?? null,
    capabilities: {
      session: {
        prompt: Object.fromEntries(taken.map(([name]) => [name, {}])),
        delete: {},
        additionalDirectories: {},
      },
      ...(own === undefined ? {} : { _meta: own }),
    },
    ...(_meta === undefined ? {} : { _meta }),
  };
}
