import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

const DROPPED = new Set(['upgrade', 'http2-settings']);

export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves a request as if it had offered no upgrade. Node hands every request with an `Upgrade` header to the listener of
 * upgrades and stops parsing, but clients that offer HTTP/2 this way (Java's, curl's) expect an ordinary answer. The
 * request is put back in front of what is still to be read, without the offer, and the connection starts over.
 */
export function serveAsPlainRequest(server: Server, req: IncomingMessage, head: Buffer): void {
  const { socket } = req;
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`, ...headerLines(req.rawHeaders)];
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(isEncrypted(socket) ? 'secureConnection' : 'connection', socket);
}

function headerLines(raw: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (DROPPED.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutOffer(value) : value}`);
  }
  return lines;
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map((option) => option.trim());
  const kept = options.filter((option) => option !== '' && !DROPPED.has(option.toLowerCase()));
  return kept.length === 0 ? 'keep-alive' : kept.join(', ');
}

function isEncrypted(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}
