import type { AgentContext, McpServer, SessionUpdate } from '@agentclientprotocol/sdk';
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
  async disputed({ session, tell }) {
    const rawInput = { row: 12345678901234567000 };
    await tell({ sessionUpdate: 'tool_call', toolCallId: 'call-1', title: 'Look', rawInput });
    const content = '{"type":"text","text":"once","text":"twice"}';
    const update = `{"sessionUpdate":"agent_message_chunk","content":${content}}`;
    const params = `{"sessionId":"${session.id}","update":${update}}`;
    process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":${params}}\n`);
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
  async desert({ client, session }) {
    await client.request('terminal/create', { sessionId: session.id, command: 'sleep' });
    process.exit(3);
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
