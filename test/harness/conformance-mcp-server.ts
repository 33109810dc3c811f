import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  contentOf,
  type Json,
  PROMPTS,
  RESOURCES,
  SCHEMA_TOOL,
  STATIC_TOOLS,
  said,
  TEMPLATES,
  text,
} from './conformance-mcp-content.ts';

/**
 * A server with everything that the conformance suite of MCP asks a server of revision 2025-11-25 for, by the names it
 * uses. Runs on standard streams: node dist/test/harness/conformance-mcp-server.js
 */
interface Extra {
  _meta?: { progressToken?: string | number };
  sendNotification(notification: Json): Promise<void>;
  sendRequest(request: Json, schema: typeof ResultSchema): Promise<Json>;
}

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

function readResource(uri: string): object {
  const content = contentOf(uri);
  if (content === undefined)
    throw Object.assign(new Error('Resource not found'), { code: -32002, data: { uri } });
  return { contents: [{ uri, ...content }] };
}

const METHODS: Record<string, (params: Json, extra: Extra) => Promise<object> | object> = {
  'tools/list': () => ({
    tools: [
      ...[...Object.keys(STATIC_TOOLS), ...Object.keys(TOOLS)].map((name) => ({
        name,
        description: `Conformance: ${name}`,
        inputSchema: { type: 'object' },
      })),
      SCHEMA_TOOL,
    ],
  }),
  'tools/call': ({ name, arguments: given }, extra) => {
    const fixed = STATIC_TOOLS[String(name)];
    if (fixed !== undefined) return fixed;
    const run = TOOLS[String(name)];
    if (run === undefined) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    return run((given ?? {}) as Json, extra);
  },
  'resources/list': () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri, description: uri })),
  }),
  'resources/templates/list': () => ({ resourceTemplates: TEMPLATES }),
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
