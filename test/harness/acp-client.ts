import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type Stream,
} from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { WebSocket } from 'ws';

export interface AcpClientOptions {
  capabilities?: ClientCapabilities;
  permission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  elicit?: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse>;
  /** Files of the client's machine, by path; its terminals say what they were told to run. */
  files?: Map<string, string>;
}

/** A file that the client never answers for. */
export const NEVER = '/work/never';

/** What an editor with files and terminals says of itself. */
export const WITH_MACHINE: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
};

/** A real ACP client: the app of the official SDK over whatever stream it is given. */
export class AcpClient {
  /** Every update in the order of its arrival. */
  readonly updates: SessionNotification[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  /** What agents did at this machine: paths and commands. */
  readonly hosted: string[] = [];
  readonly agent: ClientContext;
  initialized!: InitializeResponse;
  readonly #connection: ClientConnection;
  readonly #watching = new Set<() => void>();

  constructor(stream: Stream, options: AcpClientOptions = {}) {
    const never = new Promise<never>(() => undefined);
    this.#connection = client({ name: 'test-editor' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params);
        for (const watch of this.#watching) watch();
      })
      .onRequest('session/request_permission', ({ params }) => {
        this.permissions.push(params);
        for (const watch of this.#watching) watch();
        return options.permission?.(params) ?? never;
      })
      .onRequest('elicitation/create', ({ params }) => options.elicit?.(params) ?? never)
      .onRequest('fs/read_text_file', ({ params }) => {
        this.hosted.push(params.path);
        for (const watch of this.#watching) watch();
        if (params.path === NEVER) return never;
        const content = options.files?.get(params.path);
        if (content === undefined) throw RequestError.resourceNotFound(params.path);
        return { content };
      })
      .onRequest('fs/write_text_file', ({ params }) => {
        this.hosted.push(params.path);
        options.files?.set(params.path, params.content);
        return {};
      })
      .onRequest('terminal/create', ({ params }) => {
        this.hosted.push(params.command);
        return { terminalId: `terminal-${this.hosted.length}` };
      })
      .onRequest('terminal/output', ({ params }) => ({
        output: `output of ${params.terminalId}`,
        truncated: false,
      }))
      .onRequest('terminal/wait_for_exit', () => ({ exitCode: 0, signal: null }))
      .onRequest('terminal/release', ({ params }) => {
        this.hosted.push(`released ${params.terminalId}`);
        for (const watch of this.#watching) watch();
        return {};
      })
      .connect(stream);
    this.agent = this.#connection.agent;
  }

  static async overSocket(url: string, key: string, options: AcpClientOptions = {}): Promise<AcpClient> {
    const headers = { authorization: `Bearer ${key}` };
    const endpoint = `${url.replace(/^http/, 'ws')}/acp`;
    const stream = createWebSocketStream(endpoint, { WebSocket: WebSocket as never, headers });
    return new AcpClient(stream as Stream, options).begin(options);
  }

  async begin({ capabilities = {} }: AcpClientOptions = {}): Promise<this> {
    this.initialized = await this.agent.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      clientInfo: { name: 'test-editor', version: '1' },
    });
    return this;
  }

  session(meta: Record<string, unknown> = {}): Promise<NewSessionResponse> {
    return this.agent.request('session/new', { cwd: '/work', mcpServers: [], _meta: { harn: meta } });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify('session/cancel', { sessionId });
  }

  /** The text of a kind of chunk, in order. */
  text(kind = 'agent_message_chunk', sessionId?: string): string {
    return this.updates
      .filter((update) => sessionId === undefined || update.sessionId === sessionId)
      .map(({ update }) =>
        update.sessionUpdate === kind && 'content' in update && !Array.isArray(update.content)
          ? ((update.content as { text?: string }).text ?? '<block>')
          : '',
      )
      .join('');
  }

  kinds(): string[] {
    return this.updates.map(({ update }) => update.sessionUpdate);
  }

  /** Resolves when the condition holds; it is looked at after every update and request. */
  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const watch = () => {
        if (!holds()) return;
        this.#watching.delete(watch);
        resolve();
      };
      this.#watching.add(watch);
    });
  }

  close(): void {
    this.#connection.close();
  }
}
