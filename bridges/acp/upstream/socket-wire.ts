import { WebSocket } from 'ws';
import { gone } from './fault.ts';
import type { AgentWire, WireListener, WireSettings } from './wire.ts';

/** Connects to an agent that serves ACP on a WebSocket: one JSON-RPC message per text frame. */
export function openSocket(settings: WireSettings, url: string, listener: WireListener): AgentWire {
  const { limits } = settings;
  const socket = new WebSocket(url, {
    maxPayload: limits.max_frame_bytes,
    handshakeTimeout: limits.start_timeout_ms,
    headers: credentials(settings),
    perMessageDeflate: false,
    followRedirects: false,
  });
  const unsent: string[] = [];
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.once('open', () => {
    for (const text of unsent.splice(0)) socket.send(text);
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) listener.text(data.toString('utf8'));
  });
  socket.on('error', (error: Error) => settings.deps.logger.debug({ err: error }, 'agent socket'));
  socket.once('unexpected-response', (_request, response) => {
    listener.ended(
      gone('refused', 'The agent refused the connection.', { http_status: response.statusCode ?? 0 }),
    );
    socket.terminate();
  });
  socket.once('close', (code) =>
    listener.ended(gone('lost', 'The connection to the agent is over.', { close_code: code })),
  );
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.CONNECTING) unsent.push(text);
      else if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: async () => {
      const { timers } = settings.deps;
      socket.close(1000);
      const timer = timers.setTimeout(() => socket.terminate(), CLOSE_MS);
      await over;
      timers.clearTimeout(timer);
    },
  };
}

/** A close handshake takes a round trip; a dead peer is cut. */
const CLOSE_MS = 2_000;

function credentials({ config: { auth }, deps }: WireSettings): Record<string, string> {
  if (auth === undefined) return {};
  const value = deps.readSecret(auth.value);
  return auth.type === 'bearer' ? { authorization: `Bearer ${value}` } : { [auth.name ?? '']: value };
}
