import { WebSocket } from 'ws';
import { credentialHeaders } from '../../wire/credentials.ts';
import { faultOf, gone, tooLong } from './faults.ts';
import type { AgentWire, WireListener, WireSettings } from './wire.ts';

/** Codes of `ws` for a message above its limits. */
const TOO_LONG = ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'WS_ERR_TOO_MANY_BUFFERED_PARTS'];

/** Connects to an agent that serves ACP on a WebSocket: one JSON-RPC message per text frame. */
export function openSocket(settings: WireSettings, url: string, listener: WireListener): AgentWire {
  const unsent: string[] = [];
  let socket: WebSocket | undefined;
  let isClosed = false;
  const connected = credentialHeaders(settings.config.auth, settings.deps).then(
    (headers) => {
      if (!isClosed) socket = connect(settings, url, headers, { listener, unsent });
    },
    (error: unknown) => listener.ended(faultOf(error)),
  );
  return {
    send: (text) => {
      if (socket === undefined || socket.readyState === WebSocket.CONNECTING) unsent.push(text);
      else if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: async () => {
      isClosed = true;
      await connected;
      if (socket !== undefined) await closed(socket, settings);
    },
  };
}

function connect(
  { limits, deps }: WireSettings,
  url: string,
  headers: Record<string, string>,
  { listener, unsent }: { listener: WireListener; unsent: string[] },
): WebSocket {
  const socket = new WebSocket(url, {
    maxPayload: limits.max_frame_bytes,
    handshakeTimeout: limits.start_timeout_ms,
    headers,
    perMessageDeflate: false,
    followRedirects: false,
  });
  socket.once('open', () => {
    for (const text of unsent.splice(0)) socket.send(text);
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) listener.text(data.toString('utf8'));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    deps.logger.debug({ err: error }, 'agent socket');
    if (TOO_LONG.includes(error.code ?? '')) listener.ended(tooLong(limits.max_frame_bytes));
  });
  socket.once('unexpected-response', (_request, response) => {
    listener.ended(
      gone('refused', 'The agent refused the connection.', { http_status: response.statusCode ?? 0 }),
    );
    socket.terminate();
  });
  socket.once('close', (code) =>
    listener.ended(gone('lost', 'The connection to the agent is over.', { close_code: code })),
  );
  return socket;
}

async function closed(socket: WebSocket, { deps: { timers } }: WireSettings): Promise<void> {
  if (socket.readyState === WebSocket.CLOSED) return;
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.close(1000);
  const timer = timers.setTimeout(() => socket.terminate(), CLOSE_MS);
  await over;
  timers.clearTimeout(timer);
}

/** A close handshake takes a round trip; a dead peer is cut. */
const CLOSE_MS = 2_000;
