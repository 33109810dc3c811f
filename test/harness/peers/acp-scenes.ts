import type {
  AgentContext,
  McpServer,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export interface Kept {
  id: string;
  cwd: string;
  more?: readonly string[];
  turns: string[];
  servers?: readonly McpServer[];
}

export type Tell = (update: SessionUpdate) => Promise<void>;
export interface Scene {
  words: string[];
  session: Kept;
  client: AgentContext;
  tell: Tell;
  /** Resolves when the turn is cancelled. */
  cancel: Promise<void>;
  host: AgentHost;
}

/** What the agent runs in. */
export interface AgentHost {
  /** Ends the agent, as one that dies does. */
  exit(code: number): void;
  /** Sends a message as it is, past the SDK. */
  write(message: string): void;
}
export type Stop = 'end_turn' | 'max_tokens' | 'refusal' | 'cancelled' | 'max_turn_requests';

export const said = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});

/** The first MCP server of a session, called over HTTP as an agent does. */
async function callTool(server: McpServer | undefined, name: string): Promise<string> {
  if (server === undefined || !('url' in server)) return 'no server';
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ]);
  const headers = Object.fromEntries(server.headers.map((header) => [header.name, header.value]));
  const mcp = new Client({ name: 'test-agent', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
  try {
    await mcp.connect(transport as Transport);
    const { tools } = await mcp.listTools();
    const { content } = await mcp.callTool({ name, arguments: {} });
    return `${server.name} has ${tools.length > 0 ? 'tools' : 'none'}: ${JSON.stringify(content)}`;
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  } finally {
    await mcp.close();
  }
}

/** What the test agent says of its tool calls, in the ways of real agents. */
export const CALL_SCENES: Record<string, (scene: Scene) => Promise<Stop>> = {
  /** Asks to write; the second word is what. */
  async edit({ words, tell, client, session }) {
    const call = {
      toolCallId: 'call-1',
      title: `Write ${words[1] ?? 'notes.txt'}`,
      kind: 'edit' as const,
      rawInput: { path: 'notes.txt' },
    };
    await tell({ sessionUpdate: 'tool_call', status: 'pending', ...call });
    const { outcome }: RequestPermissionResponse = await client.request('session/request_permission', {
      sessionId: session.id,
      toolCall: call,
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
        { optionId: 'never', name: 'Never', kind: 'reject_always' },
      ],
    });
    if (outcome.outcome === 'cancelled') return 'cancelled';
    const isAllowed = outcome.optionId !== 'no';
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call-1',
      status: isAllowed ? 'completed' : 'failed',
      content: isAllowed ? [{ type: 'diff', path: 'notes.txt', oldText: null, newText: 'hello' }] : [],
    });
    await tell(said(`option ${outcome.optionId}`));
    return 'end_turn';
  },
  /** Asks to change a file, and says how; nothing is written. */
  async rewrite({ tell, client, session }) {
    const call = {
      toolCallId: 'call-1',
      title: 'Edit src/limits.ts',
      kind: 'edit' as const,
      rawInput: { path: 'src/limits.ts' },
      content: [
        {
          type: 'diff' as const,
          path: 'src/limits.ts',
          oldText: 'export const RETRIES = 2;\nexport const TIMEOUT_MS = 60_000;\n',
          newText: 'export const RETRIES = 5;\nexport const TIMEOUT_MS = 60_000;\n',
        },
      ],
    };
    await tell({ sessionUpdate: 'tool_call', status: 'pending', ...call });
    await client.request('session/request_permission', {
      sessionId: session.id,
      toolCall: call,
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    await tell(said('Done.'));
    return 'end_turn';
  },
  /** Asks to run `ls` before it speaks of the call, and runs what its prompt says. */
  async swap({ words, client, session, tell }) {
    const call = { toolCallId: 'call-1', title: 'Run ls', kind: 'execute' as const };
    await client.request('session/request_permission', {
      sessionId: session.id,
      toolCall: { ...call, rawInput: { command: 'ls', started: 1, reason: 'to look' } },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    });
    const rawInput = { command: words[1], started: 2, process: 7 };
    await tell({ sessionUpdate: 'tool_call', status: 'in_progress', ...call, rawInput });
    await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed' });
    return 'end_turn';
  },
  /** Tells of a call before its input is written. */
  async write({ tell }) {
    const _meta = { claudeCode: { toolName: 'Write' } };
    const call = { toolCallId: 'call-1', _meta };
    await tell({ sessionUpdate: 'tool_call', status: 'pending', title: 'Preparing', rawInput: {}, ...call });
    await tell({ sessionUpdate: 'tool_call_update', title: 'Write a', rawInput: { path: 'a' }, ...call });
    await tell({ sessionUpdate: 'tool_call_update', status: 'completed', ...call });
    return 'end_turn';
  },
  /** Runs a command in a terminal of its own, as Codex does. */
  async print({ tell }) {
    const printed = (data: string) => ({ terminal_output_delta: { data, terminal_id: 'call-1' } });
    const content = [{ type: 'terminal' as const, terminalId: 'call-1' }];
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title: 'echo',
      status: 'in_progress',
      content,
    });
    const more = { sessionUpdate: 'tool_call_update', toolCallId: 'call-1' } as const;
    await tell({ ...more, _meta: printed('one\n') });
    await tell({ ...more, status: 'completed', _meta: printed('two\n') });
    return 'end_turn';
  },
};

/** What the test agent does at the machine of its client. */
export const MACHINE_SCENES: Record<string, (scene: Scene) => Promise<Stop>> = {
  /** Tells its user something, and that it forgets what was long ago. */
  async announce({ tell }) {
    const described = { title: 'The model is slow today', description: 'Have patience.' };
    await tell({ sessionUpdate: 'notice', severity: 'info', ...described });
    await tell({ sessionUpdate: 'compaction_update', compactionId: 'c-1', status: 'in_progress' });
    const content = { type: 'text' as const, text: 'They spoke of tests.' };
    await tell({ sessionUpdate: 'compaction_summary_chunk', compactionId: 'c-1', content });
    await tell({ sessionUpdate: 'compaction_update', compactionId: 'c-1', status: 'completed' });
    return 'end_turn';
  },
  /** Cuts a character into its halves, as one who streams UTF-16 does. */
  async halves({ tell }) {
    await tell(said('smile \ud83d'));
    await tell(said('\ude00'));
    return 'end_turn';
  },
  /** Tells what readers of JSON disagree about: a number that is not kept exactly, and a name that comes twice. */
  async disputed({ session, tell, host }) {
    const rawInput = { row: 12345678901234567000 };
    await tell({ sessionUpdate: 'tool_call', toolCallId: 'call-1', title: 'Look', rawInput });
    const content = '{"type":"text","text":"once","text":"twice"}';
    const update = `{"sessionUpdate":"agent_message_chunk","content":${content}}`;
    const params = `{"sessionId":"${session.id}","update":${update}}`;
    host.write(`{"jsonrpc":"2.0","method":"session/update","params":${params}}`);
    return 'end_turn';
  },
  /** Asks with a number that the gateway does not take. */
  async inexact({ client, session, tell }) {
    const wish = { sessionId: session.id, n: 12345678901234567000 };
    const code = await client.request('x/wish', wish).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    await tell(said(`code ${code}`));
    return 'end_turn';
  },
  /** Asks for what nobody serves, again and again, with a lot of words. */
  async beg({ words, client, session }) {
    for (let n = 1; n <= Number(words[1] ?? 3); n += 1) {
      const wish = { sessionId: session.id, why: 'x'.repeat(10_000) };
      await client.request('x/wish', wish).catch(() => undefined);
    }
    return 'end_turn';
  },
  /** Reads a file of its client, writes another, and runs a command there. */
  async machine({ client, session, tell }) {
    const sessionId = session.id;
    const { content } = await client.request('fs/read_text_file', { sessionId, path: '/work/in.txt' });
    await client.request('fs/write_text_file', {
      sessionId,
      path: '/work/out.txt',
      content: content.toUpperCase(),
    });
    const { terminalId } = await client.request('terminal/create', { sessionId, command: 'make' });
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId: 'run-1',
      title: 'make',
      content: [{ type: 'terminal', terminalId }],
    });
    const { exitCode } = await client.request('terminal/wait_for_exit', { sessionId, terminalId });
    const { output } = await client.request('terminal/output', { sessionId, terminalId });
    await client.request('terminal/release', { sessionId, terminalId });
    await tell(said(`read ${content}, exit ${exitCode}, ${output}`));
    return 'end_turn';
  },
  /** Dies while a command of its runs. */
  async desert({ client, session, host }) {
    await client.request('terminal/create', { sessionId: session.id, command: 'sleep' });
    host.exit(3);
    return new Promise(() => undefined);
  },
  async tool({ words, session, tell }) {
    await tell(said(await callTool(session.servers?.[0], words[1] ?? '')));
    return 'end_turn';
  },
  async servers({ session, tell }) {
    await tell(said(JSON.stringify(session.servers ?? [])));
    return 'end_turn';
  },
  async read({ words, client, session, tell }) {
    const path = words[1] ?? '';
    const told = await client.request('fs/read_text_file', { sessionId: session.id, path }).then(
      ({ content }) => content,
      (error: { code: number; message: string }) => `${error.code}: ${error.message}`,
    );
    await tell(said(told));
    return 'end_turn';
  },
};
