import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  MissingRequiredClientCapabilityError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
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
import { ASKING, ASKING_PROMPT, answerAsking, type Round } from './conformance-mcp-inputs.ts';
import { FixtureTasks, TASK_TOOLS, TASKS } from './conformance-mcp-tasks.ts';

const PROMPT = 'test_input_required_result_prompt';
const CACHE = { ttlMs: 0, cacheScope: 'private' } as const;

export interface ModernFixture {
  /** Its Streamable HTTP endpoint. */
  url: string;
  /** The task of the tasks extension that was made last. */
  lastTask(): { taskId: string; status: string } | undefined;
  /** Lists a tool more, and tells whoever listens. */
  addTool(name: string): void;
  close(): Promise<void>;
}

/**
 * A server with everything that the conformance suite of MCP asks a server of the stateless revision 2026-07-28 and of the
 * tasks extension for, by the names it uses, on a free port of 127.0.0.1.
 */
export async function startModernFixture(): Promise<ModernFixture> {
  const fixture = new Fixture();
  const handler = createMcpHandler(
    ({ requestInfo }) => fixture.server(requestInfo?.headers.get('mcp-name') ?? ''),
    { legacy: 'reject' },
  );
  fixture.changed = (kind) =>
    kind === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged();
  const serve = toNodeHandler(handler);
  const http = createServer((req, res) => void serve(req as Parameters<typeof serve>[0], res));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    lastTask: () => fixture.tasks.last(),
    addTool: (name) => {
      fixture.added.push(name);
      handler.notify.toolsChanged();
    },
    close: async () => {
      fixture.tasks.close();
      await handler.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

class Fixture {
  readonly tasks = new FixtureTasks();
  readonly #states = createRequestStateCodec<Round>({ key: randomBytes(32) });
  readonly added: string[] = [];
  changed: (kind: 'tools' | 'prompts') => void = () => undefined;

  /** The SDK takes no task for the result of a call, but what a fallback answers goes out as it is. */
  server(name: string): Server {
    const server = new Server(
      { name: 'conformance-fixture-modern', version: '1' },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: {},
          prompts: { listChanged: true },
          logging: {},
          completions: {},
          extensions: { [TASKS]: {} },
        },
        requestState: { verify: this.#states.verify },
      },
    );
    this.#lists(server);
    const call = async (params: object, context: ServerContext) => {
      const { name: tool, arguments: input = {} } = params as { name: string; arguments?: Json };
      return { resultType: 'complete', ...(await this.#call(tool, input, context)) };
    };
    if (name in TASK_TOOLS || name === 'test_tool_with_task')
      server.fallbackRequestHandler = ({ params = {} }, context) => call(params, context);
    else server.setRequestHandler('tools/call', ({ params }, context) => call(params, context) as never);
    this.#reads(server);
    this.#tasks(server);
    return server;
  }

  #lists(server: Server): void {
    const names = [
      ...[...Object.keys(STATIC_TOOLS), ...Object.keys(this.#tools), ...Object.keys(ASKING)],
      ...Object.keys(TASK_TOOLS),
      'test_tool_with_task',
    ];
    const listed = (name: string) => ({
      name,
      description: `Conformance: ${name}`,
      inputSchema: { type: 'object' as const },
    });
    const tools = names.map(listed);
    const resources = Object.keys(RESOURCES).map((uri) => ({ uri, name: uri, description: uri }));
    const prompts = [...Object.entries(PROMPTS), [PROMPT, {}] as const].map(([name, prompt]) => ({
      name,
      description: `Conformance: ${name}`,
      ...('arguments' in prompt ? { arguments: prompt.arguments } : {}),
    }));
    server.setRequestHandler('tools/list', async () => ({
      tools: [...tools, SCHEMA_TOOL, ...this.added.map(listed)] as never,
      ...CACHE,
    }));
    server.setRequestHandler('resources/list', async () => ({ resources, ...CACHE }));
    server.setRequestHandler('resources/templates/list', async () => ({
      resourceTemplates: TEMPLATES,
      ...CACHE,
    }));
    server.setRequestHandler('prompts/list', async () => ({ prompts, ...CACHE }) as never);
  }

  #reads(server: Server): void {
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const content = contentOf(uri);
      if (content === undefined)
        throw Object.assign(new Error('Resource not found'), { code: -32602, data: { uri } });
      return { contents: [{ uri, ...content }], ...CACHE } as never;
    });
    server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given } }, context) => {
      if (name === PROMPT) return (await answerAsking(ASKING_PROMPT, context, this.#states.mint)) as never;
      const prompt = PROMPTS[name];
      if (prompt === undefined) throw Object.assign(new Error('Unknown prompt'), { code: -32602 });
      return { messages: prompt.get((given ?? {}) as Json) } as never;
    });
    server.setRequestHandler('completion/complete', async () => ({
      completion: { values: ['paris', 'park'], total: 2, hasMore: false },
    }));
  }

  #tasks(server: Server): void {
    const schemas = { params: z.looseObject({}), result: z.looseObject({}) };
    const answer =
      (run: (params: Json, context: ServerContext) => object) =>
      async (params: Json, context: ServerContext) => {
        needTasks(context);
        return run(params, context) as Json;
      };
    server.setRequestHandler(
      'tasks/get',
      schemas,
      answer(({ taskId }) => this.tasks.get(taskId)),
    );
    server.setRequestHandler(
      'tasks/update',
      schemas,
      answer(({ taskId }, { mcpReq }) => this.tasks.update(taskId, (mcpReq.inputResponses ?? {}) as Json)),
    );
    server.setRequestHandler(
      'tasks/cancel',
      schemas,
      answer(({ taskId }) => this.tasks.cancel(taskId)),
    );
  }

  async #call(name: string, input: Json, context: ServerContext): Promise<object> {
    const fixed = STATIC_TOOLS[name];
    if (fixed !== undefined) return fixed;
    const asking = ASKING[name];
    if (asking !== undefined) return answerAsking(asking, context, this.#states.mint);
    if (name === 'test_tool_with_task') return this.#askThenRun(context);
    const own = this.#tools[name];
    if (own !== undefined) return own(input, context);
    const tool = TASK_TOOLS[name];
    if (tool === undefined) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    if (tool.required) needTasks(context);
    const plan = tool.plan(input);
    if (hasTasks(context)) return this.tasks.create(plan);
    await new Promise((resolve) => setTimeout(resolve, plan.ms ?? 0));
    return plan.end({}).result ?? {};
  }

  /** Asks for a name in a round of its own, then goes on as a task. */
  async #askThenRun(context: ServerContext): Promise<object> {
    needTasks(context);
    let given: Json | undefined;
    const asked = {
      ...ASKING['test_input_required_result_elicitation'],
      end: (answers: Readonly<Record<string, Json>>) => {
        given = (answers['user_name']?.['content'] ?? {}) as Json;
        return said(text(`Done for ${given['name']}.`));
      },
    } as (typeof ASKING)[string];
    const result = await answerAsking(asked, context, this.#states.mint);
    return given === undefined ? result : this.tasks.create({ ms: 50, end: () => ({ result }) });
  }

  readonly #tools: Readonly<Record<string, (input: Json, context: ServerContext) => Promise<object>>> = {
    greet: async ({ name }) => said(text(`Hello, ${name}!`)),
    test_tool_with_progress: async (_input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken === undefined) continue;
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return said(text('Tool with progress executed.'));
    },
    test_logging_tool: async (_input, { mcpReq }) => {
      await mcpReq.log('info', 'The tool runs.');
      return said(text('Logged.'));
    },
    test_missing_capability: async (_input, context) => {
      if (capabilitiesOf(context)['sampling'] === undefined)
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      return said(text('The client can be sampled.'));
    },
    test_trigger_tool_change: async () => {
      this.changed('tools');
      return said(text('The tools have changed.'));
    },
    test_trigger_prompt_change: async () => {
      this.changed('prompts');
      return said(text('The prompts have changed.'));
    },
  };
}

function capabilitiesOf({ mcpReq }: ServerContext): Json {
  return ((mcpReq.envelope as Json | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Json;
}

function hasTasks(context: ServerContext): boolean {
  return TASKS in ((capabilitiesOf(context)['extensions'] ?? {}) as Json);
}

function needTasks(context: ServerContext): void {
  if (hasTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } } as never,
  });
}
