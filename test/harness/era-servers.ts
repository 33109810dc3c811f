import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import { StdioServerTransport as ModernStdio, serveStdio } from '@modelcontextprotocol/server/stdio';
import {
  ASKING,
  CACHE,
  COMPLETION,
  callTool,
  type Json,
  LISTED,
  PROMPTS,
  prompt,
  RESOURCE,
  RESOURCES,
  read,
  SCHEMA,
  text,
} from './era-tools.ts';

export type Era = 'sessions' | 'stateless';
export type Wire = 'stdio' | 'http';

const INFO = { name: 'era', version: '1' };
const OFFER = {
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    completions: {},
    logging: {},
  },
  instructions: 'Ask.',
};

/**
 * One server in one era on one wire, with the same tools, resource and prompt in each. It runs in this process; on standard
 * streams a child hands its own to it.
 */
export class EraServer {
  readonly #era: Era;
  #net: NetServer | undefined;
  readonly #open = new Set<{ close(): unknown }>();
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  /** Resources that clients asked to be told of. */
  readonly watched: string[] = [];
  /** Told of one that a client does not want to be told of any more. */
  ended: (uri: string) => void = () => undefined;
  #port = 0;
  staying: (end: () => void) => void = () => undefined;
  /** Told when the client of a call of `stay` took it back. */
  left: () => void = () => undefined;

  /** Told when a client asks for a task. */
  polled: () => void = () => undefined;

  private constructor(era: Era) {
    this.#era = era;
  }

  static async start(era: Era, wire: Wire): Promise<EraServer> {
    const server = new EraServer(era);
    if (wire === 'stdio') server.#net = createServer((socket) => void server.#serveStreams(socket));
    else server.#net = server.#http();
    await new Promise<void>((resolve) => server.#net?.listen(0, '127.0.0.1', resolve));
    server.#port = (server.#net.address() as AddressInfo).port;
    return server;
  }

  /** The row of `upstreams.mcp` for it. */
  row(wire: Wire): Json {
    const relay = `const s=require('net').connect(${this.#port});process.stdin.pipe(s);s.pipe(process.stdout);s.on('close',()=>process.exit())`;
    return wire === 'http'
      ? { url: `http://127.0.0.1:${this.#port}/mcp` }
      : { command: [process.execPath, '-e', relay] };
  }

  async close(): Promise<void> {
    for (const open of this.#open) await open.close();
    await new Promise<void>((resolve) => this.#net?.close(() => resolve()));
  }

  async #serveStreams(socket: Socket): Promise<void> {
    this.#open.add({ close: () => socket.destroy() });
    socket.on('error', () => socket.destroy());
    if (this.#era === 'sessions')
      await this.#withSession().connect(new StdioServerTransport(socket, socket) as Transport);
    else {
      let instance: ModernServer | undefined;
      const changed = () => {
        void instance?.sendToolListChanged();
        void instance?.sendResourceUpdated({ uri: RESOURCE });
      };
      serveStdio(
        () => {
          instance = this.#stateless(changed);
          return instance;
        },
        { legacy: 'reject', transport: new ModernStdio(socket, socket) },
      );
    }
  }

  #http(): NetServer {
    if (this.#era === 'stateless') {
      const handler = createMcpHandler(
        () =>
          this.#stateless(() => {
            handler.notify.toolsChanged();
            handler.notify.resourceUpdated(RESOURCE);
          }),
        { legacy: 'reject' },
      );
      const serve = toNodeHandler(handler);
      const http = createHttpServer((req, res) => void serve(req as Parameters<typeof serve>[0], res));
      this.#open.add({ close: () => http.closeAllConnections() });
      return http;
    }
    const http = createHttpServer((req, res) => void this.#serveSession(req, res));
    this.#open.add({ close: () => http.closeAllConnections() });
    return http;
  }

  async #serveSession(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = req.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (opened) => void this.#sessions.set(opened, transport),
      });
    if (known === undefined) await this.#withSession().connect(transport as Transport);
    await transport.handleRequest(req, res);
  }

  #withSession(): Server {
    const tasks = { requests: { tools: { call: {} } }, cancel: {} };
    const server = new Server(INFO, { ...OFFER, capabilities: { ...OFFER.capabilities, tasks } });
    const methods = this.#methodsWithSession();
    server.fallbackRequestHandler = async (
      { method, params = {} },
      { signal, _meta, sendNotification, sendRequest },
    ) => {
      if (method in methods) return methods[method]?.(params) ?? {};
      if (params['name'] === 'page') {
        const elicitations = [
          { mode: 'url', url: 'https://example.com/in', message: 'Log in.', elicitationId: 'e1' },
        ];
        throw Object.assign(new Error('Log in first.'), { code: -32_042, data: { elicitations } });
      }
      if (params['name'] === 'tasked') {
        if (params['task'] === undefined)
          throw Object.assign(new Error('Call it as a task.'), { code: -32_601 });
        return { task: taskOf('working', (params['arguments'] as Json)['id']) };
      }
      return callTool(this, params, {
        signal,
        progressToken: _meta?.progressToken,
        notify: (told, about) => sendNotification({ method: told, params: about } as never),
        asking: async (name) => {
          const asking = ASKING[name];
          return asking?.end((await sendRequest(asking.request as never, ResultSchema)) as Json) ?? {};
        },
        changed: () => {
          void sendNotification({ method: 'notifications/tools/list_changed' });
          void sendNotification({ method: 'notifications/resources/updated', params: { uri: RESOURCE } });
        },
      });
    };
    return server;
  }

  #methodsWithSession(): Readonly<Record<string, (params: Json) => Json>> {
    return {
      'tools/list': () => ({
        tools: [
          ...LISTED,
          { name: 'page', inputSchema: SCHEMA },
          { name: 'tasked', inputSchema: SCHEMA, execution: { taskSupport: 'required' } },
        ],
      }),
      'tasks/get': ({ taskId }) => {
        this.polled();
        return taskOf(taskId === 'endless' ? 'working' : 'completed', taskId);
      },
      'tasks/result': ({ taskId }) => text(`${taskId} is done`),
      'tasks/cancel': ({ taskId }) => {
        this.left();
        return taskOf('cancelled', taskId);
      },
      'resources/list': () => ({ resources: RESOURCES }),
      'resources/read': (params) => read(params, -32_002),
      'resources/subscribe': ({ uri }) => {
        this.watched.push(String(uri));
        return {};
      },
      'resources/unsubscribe': ({ uri }) => {
        this.ended(String(uri));
        return {};
      },
      'prompts/list': () => ({ prompts: PROMPTS }),
      'prompts/get': prompt,
      'completion/complete': () => COMPLETION,
    };
  }

  #stateless(changed: () => void): ModernServer {
    const server = new ModernServer(INFO, OFFER);
    const numbered = { name: 'number', inputSchema: SCHEMA, outputSchema: { type: 'integer' } };
    server.setRequestHandler('tools/list', async () => ({ tools: [...LISTED, numbered], ...CACHE }) as never);
    server.setRequestHandler('resources/list', async () => ({ resources: RESOURCES, ...CACHE }) as never);
    server.setRequestHandler(
      'resources/read',
      async ({ params }) => ({ ...read(params, -32_602), ...CACHE }) as never,
    );
    server.setRequestHandler('prompts/list', async () => ({ prompts: PROMPTS, ...CACHE }) as never);
    server.setRequestHandler('prompts/get', async ({ params }) => prompt(params) as never);
    server.setRequestHandler('completion/complete', async () => COMPLETION);
    this.#calls(server, changed);
    return server;
  }

  #calls(server: ModernServer, changed: () => void): void {
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      if (params.name === 'number') return { ...text('7'), structuredContent: 7 } as never;
      const answers = (mcpReq.inputResponses ?? {}) as Record<string, Json>;
      const asking = async (name: string): Promise<Json> => {
        const { request, end } = ASKING[name] ?? { request: {}, end: () => ({}) };
        const { answer } = answers;
        if (answer === undefined)
          return {
            resultType: 'input_required',
            inputRequests: { answer: request },
            requestState: `state of ${name}`,
          };
        if (mcpReq.requestState<string>() !== `state of ${name}`)
          throw new Error('The state did not come back.');
        return end(answer);
      };
      return (await callTool(this, params, {
        signal: mcpReq.signal,
        progressToken: mcpReq._meta?.progressToken,
        notify: (method, about) =>
          method === 'notifications/message'
            ? mcpReq.log('info', about['data'])
            : mcpReq.notify({ method, params: about } as never),
        asking,
        changed,
      })) as never;
    });
  }
}

const taskOf = (status: string, taskId: unknown): Json => ({
  taskId,
  status,
  ttl: null,
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  pollInterval: 100,
});
