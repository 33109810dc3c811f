import type { Account } from './account.ts';

/** One message over one protocol, as it is on the wire: what the page shows is what it sends, and what curl gets. */
export interface Wire {
  protocol: 'REST' | 'A2A' | 'MCP' | 'ACP';
  /** Path of the gateway that it goes to. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The body; of a socket, its messages in their order, where `$SESSION` is what the answer before has said. */
  body: unknown;
}

/** What went over the wire, and which way. */
export interface Frame {
  way: 'sent' | 'came';
  value: unknown;
}

export interface Tried {
  /** Route of the agent or of the tool. */
  route: string;
  isTool: boolean;
  text: string;
  values: Readonly<Record<string, unknown>>;
  /** Tells this message from others of this page. */
  id: string;
  /** Key of the Session that messages of this page are in, and its Workspace. */
  session: string;
  workspace: string;
}

const STATELESS = '2026-07-28';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const STREAMED = { ...JSON_TYPE, Accept: 'application/json, text/event-stream' };

/** The same message in the words of each protocol. What a protocol has no words for is not made up. */
export function wiresOf(tried: Tried): Wire[] {
  const { route, isTool, text, values, id, session, workspace } = tried;
  const name = route.slice(route.indexOf(':') + 1);
  const part = isTool
    ? { type: 'json', value: values, visibility: 'public' }
    : { type: 'text', text, visibility: 'public' };
  const rest: Wire = {
    protocol: 'REST',
    path: '/v1/tasks',
    headers: { ...JSON_TYPE, 'Harn-Agents-Protocol-Version': 'agents-protocol-2026-04-25' },
    body: {
      session: { workspace_id: workspace, key: session },
      input: { role: 'user', parts: [part] },
      metadata: { route },
    },
  };
  const tool = isTool ? { name, arguments: values } : { name: `ask_${name}`, arguments: { message: text } };
  const mcp: Wire = {
    protocol: 'MCP',
    path: '/mcp',
    headers: {
      ...STREAMED,
      'MCP-Protocol-Version': STATELESS,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': tool.name,
    },
    body: rpc(1, 'tools/call', {
      ...tool,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': STATELESS,
        'io.modelcontextprotocol/clientInfo': { name: 'console', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
  };
  if (isTool) return [rest, mcp];
  const message = { messageId: id, role: 'ROLE_USER', parts: [{ text }] };
  const a2a: Wire = {
    protocol: 'A2A',
    path: `/a2a/${encodeURIComponent(name)}`,
    headers: { ...STREAMED, 'A2A-Version': '1.0' },
    body: rpc(1, 'SendStreamingMessage', { message }),
  };
  const acp: Wire = {
    protocol: 'ACP',
    path: '/acp',
    headers: {},
    body: [
      rpc(1, 'initialize', {
        protocolVersion: 1,
        clientCapabilities: {},
        clientInfo: { name: 'console', version: '1' },
      }),
      rpc(2, 'session/new', { cwd: '/', mcpServers: [], _meta: { harn: { route } } }),
      rpc(3, 'session/prompt', { sessionId: '$SESSION', prompt: [{ type: 'text', text }] }),
    ],
  };
  return [rest, a2a, mcp, acp];
}

const rpc = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });

/** The command that sends it from a terminal; undefined for a socket. The key is not in it. */
export function curlOf({ protocol, path, headers, body }: Wire): string | undefined {
  if (protocol === 'ACP') return undefined;
  return [
    `curl -sN '${window.location.origin}${path}'`,
    '-H "Authorization: Bearer $HARN_GATEWAY_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H '${quoted(`${name}: ${value}`)}'`),
    `-d '${quoted(JSON.stringify(body))}'`,
  ].join(' ');
}

/** A text between single quotes of a shell. */
export const quoted = (text: string) => text.replaceAll("'", "'\\''");

/** Sends it, and tells of each frame as it goes and comes. Rejects where the gateway cannot be reached. */
export async function send(wire: Wire, account: Account, tell: (frame: Frame) => void): Promise<void> {
  if (wire.protocol === 'ACP') return overSocket(wire, account, tell);
  tell({ way: 'sent', value: wire.body });
  const response = await account.call(wire.path, {
    method: 'POST',
    headers: wire.headers,
    body: JSON.stringify(wire.body),
  });
  if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
    tell({ way: 'came', value: readable(await response.text()) });
    return;
  }
  for await (const data of eventsIn(response)) tell({ way: 'came', value: readable(data) });
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The data of the events of a stream, as they come. */
async function* eventsIn({ body }: Response): AsyncIterable<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = done ? '' : (events.pop() ?? '');
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join('\n');
    }
    if (done) return;
  }
}

interface Answer {
  id?: number | string;
  method?: string;
  result?: { sessionId?: string };
  error?: unknown;
}

/** Each message after the answer to the one before. A question of the agent is answered on the page Approvals, not here. */
function overSocket({ path, body }: Wire, account: Account, tell: (frame: Frame) => void): Promise<void> {
  const messages = body as { id: number; params: Record<string, unknown> }[];
  return new Promise((resolve, reject) => {
    const socket = account.socket(path, 'acp.v1');
    let session = '$SESSION';
    const next = () => {
      const message = messages.shift();
      if (message === undefined) return socket.close();
      const value =
        message.params['sessionId'] === undefined
          ? message
          : { ...message, params: { ...message.params, sessionId: session } };
      tell({ way: 'sent', value });
      socket.send(JSON.stringify(value));
    };
    socket.onopen = next;
    socket.onmessage = ({ data }) => {
      const value = readable(String(data)) as Answer;
      tell({ way: 'came', value });
      if (value.method !== undefined || value.id === undefined) return;
      session = value.result?.sessionId ?? session;
      if (value.error !== undefined) messages.length = 0;
      next();
    };
    socket.onerror = () => reject(new TypeError('The socket does not open.'));
    socket.onclose = () => resolve();
  });
}
