import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { mutatedJson } from './json-mutations.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Something of a kind that exists, or another id. */
export type IdOf = (kind: 'session' | 'task' | 'message' | 'artifact' | 'workspace' | 'event') => string;

/** How a message of a face is right, before anything is wrong with it. */
type Templates = Readonly<Record<string, (id: IdOf) => JsonObject>>;

const text = (words: string) => ({
  role: 'user',
  parts: [{ type: 'text', text: words, visibility: 'public' }],
});
const a2aMessage = (id: IdOf) => ({
  messageId: `m-${id('message')}`,
  role: 'ROLE_USER',
  parts: [{ text: 'hi' }],
  contextId: id('session'),
});
const legacyMessage = (id: IdOf) => ({
  kind: 'message',
  messageId: `m-${id('message')}`,
  role: 'user',
  parts: [{ kind: 'text', text: 'hi' }],
  taskId: id('task'),
});
const rpc = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, method, params });
const ofRpc = (params: Readonly<Record<string, (id: IdOf) => JsonObject>>): Templates =>
  Object.fromEntries(Object.entries(params).map(([name, make]) => [name, (id) => rpc(name, make(id))]));

/** A2A over JSON-RPC, 1.0 and 0.3. */
export const A2A_MESSAGES: Templates = ofRpc({
  SendMessage: (id) => ({ message: a2aMessage(id), configuration: { returnImmediately: true } }),
  SendStreamingMessage: (id) => ({ message: a2aMessage(id) }),
  GetTask: (id) => ({ id: id('task'), historyLength: 3 }),
  ListTasks: (id) => ({ contextId: id('session'), pageSize: 5 }),
  CancelTask: (id) => ({ id: id('task') }),
  SubscribeToTask: (id) => ({ id: id('task') }),
  CreateTaskPushNotificationConfig: (id) => ({ taskId: id('task'), url: 'http://127.0.0.1:1/' }),
  ListTaskPushNotificationConfigs: (id) => ({ taskId: id('task') }),
  DeleteTaskPushNotificationConfig: (id) => ({ taskId: id('task'), id: 'x' }),
  GetExtendedAgentCard: () => ({}),
  'message/send': (id) => ({ message: legacyMessage(id), configuration: { blocking: false } }),
  'message/stream': (id) => ({ message: legacyMessage(id) }),
  'tasks/get': (id) => ({ id: id('task') }),
  'tasks/cancel': (id) => ({ id: id('task') }),
  'tasks/resubscribe': (id) => ({ id: id('task') }),
  'tasks/pushNotificationConfig/list': (id) => ({ id: id('task') }),
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** MCP, with and without sessions. */
export const MCP_MESSAGES: Templates = ofRpc({
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'client', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ _meta: META }),
  'tools/call': () => ({ name: 'ask_puppet', arguments: { message: 'echo' }, _meta: META }),
  'resources/list': () => ({ _meta: META }),
  'resources/read': (id) => ({ uri: `harn://tasks/${id('task')}`, _meta: META }),
  'resources/templates/list': () => ({ _meta: META }),
  'server/discover': () => ({ _meta: META }),
  'tasks/get': (id) => ({ taskId: id('task'), _meta: META }),
  'tasks/cancel': (id) => ({ taskId: id('task'), _meta: META }),
  'completion/complete': () => ({
    ref: { type: 'ref/prompt', name: 'x' },
    argument: { name: 'a', value: 'b' },
  }),
  'logging/setLevel': () => ({ level: 'info' }),
});

/** ACP over a WebSocket. */
export const ACP_MESSAGES: Templates = ofRpc({
  initialize: () => ({ protocolVersion: 1, clientCapabilities: {} }),
  'session/new': () => ({ cwd: '/work', mcpServers: [] }),
  'session/load': (id) => ({ sessionId: id('session'), cwd: '/work', mcpServers: [] }),
  'session/resume': (id) => ({ sessionId: id('session'), cwd: '/work', mcpServers: [] }),
  'session/prompt': (id) => ({ sessionId: id('session'), prompt: [{ type: 'text', text: 'echo' }] }),
  'session/cancel': (id) => ({ sessionId: id('session') }),
  'session/list': () => ({ cwd: '/work' }),
  'session/set_mode': (id) => ({ sessionId: id('session'), modeId: 'x' }),
  'session/set_config_option': (id) => ({ sessionId: id('session'), configId: 'persona', value: 'x' }),
  'session/close': (id) => ({ sessionId: id('session') }),
  'session/delete': (id) => ({ sessionId: id('session') }),
  authenticate: () => ({ methodId: 'harn-key' }),
});

/** The WebSocket of the Agents Protocol. */
export const WS_MESSAGES: Templates = {
  'user_message of a session': (id) => ({
    type: 'user_message',
    id: 'f',
    session_id: id('session'),
    message: text('hi'),
  }),
  'user_message of a task': (id) => ({
    type: 'user_message',
    id: 'f',
    task_id: id('task'),
    kind: 'input',
    message: text('hi'),
  }),
  cancel: (id) => ({ type: 'cancel', id: 'f', task_id: id('task'), reason: 'why not' }),
  truncate: (id) => ({ type: 'truncate', id: 'f', session_id: id('session'), keep_first: 3 }),
  respond: (id) => ({ type: 'respond', id: 'f', task_id: id('task'), message: text('blue') }),
  'respond to a request': (id) => ({ type: 'respond', id: 'f', request_id: id('event'), approved: true }),
  'subscribe to a task': (id) => ({ type: 'subscribe', id: 'f', stream: 'task', task_id: id('task') }),
  'subscribe to a session': (id) => ({
    type: 'subscribe',
    id: 'f',
    stream: 'session',
    session_id: id('session'),
    after_event_id: id('event'),
  }),
  'subscribe to all': (id) => ({
    type: 'subscribe',
    id: 'f',
    stream: 'events',
    workspace_id: id('workspace'),
  }),
  unsubscribe: (id) => ({ type: 'unsubscribe', id: 'f', subscription: `task:${id('task')}` }),
  ping: () => ({ type: 'ping', id: 'f' }),
};

/** Share of messages with nothing wrong. */
const VALID = 0.1;

/** A message of the templates, mostly with something wrong, and its name. It may be no JSON at all. */
export function faceMessage(
  templates: Templates,
  random: SeededRandom,
  id: IdOf,
): { name: string; text: string } {
  const name = random.pick(Object.keys(templates));
  const right: JsonValue = templates[name]?.(id) ?? {};
  return { name, text: random.chance(VALID) ? JSON.stringify(right) : mutatedJson(right, random) };
}
