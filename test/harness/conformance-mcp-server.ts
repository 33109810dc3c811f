import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';

/**
 * A server with everything that the conformance suite of MCP asks a server of revision 2025-11-25 for, by the names it
 * uses. Runs on standard streams: node dist/test/harness/conformance-mcp-server.js
 */
type Json = Record<string, unknown>;
interface Extra {
  _meta?: { progressToken?: string | number };
  sendNotification(notification: Json): Promise<void>;
  sendRequest(request: Json, schema: typeof ResultSchema): Promise<Json>;
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
const text = (value: string) => ({ type: 'text', text: value });
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});
const said = (...content: object[]) => ({ content });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const titled = (...values: string[]) => values.map((value) => ({ const: value, title: `Title of ${value}` }));
const OPTIONS = ['option1', 'option2', 'option3'];
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('value1', 'value2', 'value3') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option one', 'Option two'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('value1', 'value2', 'value3') } },
};

async function elicit(extra: Extra, message: string, properties: Json): Promise<object> {
  const params = { mode: 'form', message, requestedSchema: { type: 'object', properties } };
  const { action, content } = await extra.sendRequest({ method: 'elicitation/create', params }, ResultSchema);
  return said(text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`));
}

const TOOLS: Record<string, (input: Json, extra: Extra) => Promise<object>> = {
  test_simple_text: async () => said(text('This is a simple text response for testing.')),
  test_image_content: async () => said(IMAGE),
  test_audio_content: async () => said({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: async () =>
    said(resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: async () =>
    said(
      text('Multiple content types test:'),
      IMAGE,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: async (_input, extra) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return said(text('Tool with logging executed.'));
  },
  test_tool_with_progress: async (_input, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      await pause(50);
    }
    return said(text('Tool with progress executed.'));
  },
  test_error_handling: async () => ({
    ...said(text('This tool intentionally returns an error for testing')),
    isError: true,
  }),
  test_sampling: async ({ prompt }, extra) => {
    const messages = [{ role: 'user', content: text(String(prompt)) }];
    const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
    const { content } = await extra.sendRequest(request, ResultSchema);
    return said(text(`LLM response: ${JSON.stringify(content)}`));
  },
  test_elicitation: ({ message }, extra) =>
    elicit(extra, String(message), {
      username: { type: 'string' },
      email: { type: 'string', format: 'email' },
    }),
  test_elicitation_sep1034_defaults: (_input, extra) => elicit(extra, 'Please review', DEFAULTS),
  test_elicitation_sep1330_enums: (_input, extra) => elicit(extra, 'Please choose', ENUMS),
};

const RESOURCES: Record<string, object> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

const user = (content: object) => ({ role: 'user', content });
const argument = (name: string) => ({ name, required: true });
const PROMPTS: Record<string, { arguments?: object[]; get(given: Json): object[] }> = {
  test_simple_prompt: { get: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument('resourceUri')],
    get: ({ resourceUri }) => [
      user(resource(String(resourceUri), 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: { get: () => [user(IMAGE), user(text('Please analyze the image above.'))] },
};

function readResource(uri: string): object {
  const template = /^test:\/\/template\/([^/]+)\/data$/.exec(uri);
  const content = template
    ? { mimeType: 'application/json', text: JSON.stringify({ id: template[1], templateTest: true }) }
    : RESOURCES[uri];
  if (content === undefined)
    throw Object.assign(new Error('Resource not found'), { code: -32002, data: { uri } });
  return { contents: [{ uri, ...content }] };
}

const METHODS: Record<string, (params: Json, extra: Extra) => Promise<object> | object> = {
  'tools/list': () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `Conformance: ${name}`,
      inputSchema: { type: 'object' },
    })),
  }),
  'tools/call': ({ name, arguments: given }, extra) => {
    const run = TOOLS[String(name)];
    if (run === undefined) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    return run((given ?? {}) as Json, extra);
  },
  'resources/list': () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri, description: uri })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Template' },
    ],
  }),
  'resources/read': ({ uri }) => readResource(String(uri)),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: `Conformance: ${name}`,
      ...(prompt.arguments === undefined ? {} : { arguments: prompt.arguments }),
    })),
  }),
  'prompts/get': ({ name, arguments: given }) => {
    const prompt = PROMPTS[String(name)];
    if (prompt === undefined) throw Object.assign(new Error('Unknown prompt'), { code: -32602 });
    return { messages: prompt.get((given ?? {}) as Json) };
  },
  'completion/complete': () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }),
  'logging/setLevel': () => ({}),
};

const server = new Server(
  { name: 'conformance-fixture', version: '1' },
  {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    },
  },
);
server.removeRequestHandler('logging/setLevel');
server.fallbackRequestHandler = async ({ method, params }, extra) => {
  const answer = METHODS[method];
  if (answer === undefined) throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
  return (await answer((params ?? {}) as Json, extra as unknown as Extra)) as Json;
};
await server.connect(new StdioServerTransport());
