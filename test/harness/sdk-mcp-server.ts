import { randomUUID } from 'node:crypto';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';

const said = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

/** Longer than any part of a Skill id. */
const LONG_TOOL = `org/${'long-'.repeat(18)}name`;

/** Tools whose names cannot stand in the id of a Skill, or in the name of a tool of the gateway. */
export const ODD_TOOLS = ['repo/search', 'v1.read', 'files:list@v2', LONG_TOOL];

/** The SDK warns of names that it takes all the same. */
function quietly(register: () => void): void {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    register();
  } finally {
    console.warn = warn;
  }
}

export interface SdkServerOptions {
  /** Default: any free one. A server that starts anew listens on the one it had. */
  port?: number;
  /** Status for a session that is not known; older servers of the SDKs say 400. Default: 404. */
  forgotten?: 400 | 404;
}

/** An MCP server as users of the official SDK write one: `McpServer`, one transport per session, Streamable HTTP. */
export class SdkMcpServer {
  readonly #http: HttpServer;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #forgotten: 400 | 404;
  /** Tools in the order in which they were called. */
  readonly called: string[] = [];
  /** Calls of `slow` that were taken back. */
  takenBack = 0;
  /** Calls of `slow` and `together` that run. */
  running = 0;
  #end: (() => void)[] = [];
  /** Status of the next POST, which then reaches no tool. */
  refuseNext: number | undefined;
  /** So many of the next calls are answered so, and reach no tool. */
  refuseCalls: { times: number; status: number; headers?: Record<string, string> } | undefined;

  private constructor(forgotten: 400 | 404) {
    this.#forgotten = forgotten;
    this.#http = createServer((req, res) => void this.#serve(req, res));
  }

  static async start({ port = 0, forgotten = 404 }: SdkServerOptions = {}): Promise<SdkMcpServer> {
    const server = new SdkMcpServer(forgotten);
    await new Promise<void>((resolve) => server.#http.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Ends what waits: calls of `slow` and `together`. */
  release(): void {
    for (const end of this.#end.splice(0)) end();
  }

  /** Forgets all sessions, as a server does that starts anew; its clients are not told. */
  forget(): void {
    this.#sessions.clear();
    this.#http.closeAllConnections();
  }

  async close(): Promise<void> {
    this.release();
    this.#http.closeAllConnections();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const refusal = req.method === 'POST' ? this.refuseNext : undefined;
    if (refusal !== undefined) {
      this.refuseNext = undefined;
      req.resume();
      return void res.writeHead(refusal).end();
    }
    const calls = req.method === 'POST' ? this.refuseCalls : undefined;
    const body: unknown = calls === undefined ? undefined : JSON.parse(await text(req));
    if (calls !== undefined && calls.times > 0 && (body as { method?: string }).method === 'tools/call') {
      calls.times -= 1;
      return void res.writeHead(calls.status, calls.headers).end();
    }
    const id = req.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(req, res, body);
    if (id !== undefined) {
      const error = { code: -32_001, message: 'Session not found' };
      res.writeHead(this.#forgotten, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void this.#sessions.set(opened, transport),
    });
    await this.#server().connect(transport as Transport);
    await transport.handleRequest(req, res, body);
  }

  #waits(signal: AbortSignal): Promise<void> {
    this.running += 1;
    return new Promise<void>((resolve) => {
      this.#end.push(resolve);
      signal.addEventListener('abort', () => {
        this.takenBack += 1;
        resolve();
      });
    }).finally(() => {
      this.running -= 1;
    });
  }

  #server(): McpServer {
    const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { logging: {} } });
    const called = (name: string) => this.called.push(name);
    server.registerTool(
      'rows',
      {
        description: 'As many rows as wanted.',
        inputSchema: { chars: z.number() },
        outputSchema: { rows: z.string() },
      },
      async ({ chars }) => {
        const structuredContent = { rows: 'r'.repeat(chars) };
        return { ...said(JSON.stringify(structuredContent)), structuredContent };
      },
    );
    quietly(() => {
      for (const name of ODD_TOOLS)
        server.registerTool(name, { inputSchema: { query: z.string() } }, async ({ query }) => {
          called(name);
          return said(`${name.slice(0, 11)}: ${query}`);
        });
    });
    server.registerTool('quick', { annotations: { readOnlyHint: true } }, async () => {
      called('quick');
      return said('quick is done');
    });
    server.registerTool('slow', {}, async ({ signal }) => {
      called('slow');
      await this.#waits(signal);
      return said('slow is done');
    });
    server.registerTool('grow', {}, async () => {
      server.registerTool('grown', {}, async () => said('grown is here'));
      return said('it grows');
    });
    server.registerTool('talk', {}, async ({ requestId }) => {
      for (const line of ['one', 'two', 'x'.repeat(100_000)])
        await server.server.notification(
          { method: 'notifications/message', params: { level: 'warning', logger: 'talk', data: line } },
          { relatedRequestId: requestId },
        );
      return said('that is all');
    });
    server.registerTool('mutter', {}, async ({ sessionId }) => {
      await server.sendLoggingMessage({ level: 'warning', data: 'beside the call' }, sessionId);
      return said('that is all');
    });
    server.registerTool('ask', {}, async () => {
      called('ask');
      const { action } = await server.server.elicitInput({
        message: 'May I?',
        requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } },
      });
      return said(action);
    });
    return server;
  }
}
