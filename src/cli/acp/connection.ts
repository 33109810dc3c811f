import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { CliError } from '../exit-codes.ts';
import type { Endpoint } from './endpoint.ts';

/** Pauses before another attempt; the last one is repeated. */
const BACKOFF_MS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000];
/** Editors wait 20 s for an answer; they are told before. */
const PATIENCE_MS = 15_000;
/** A connection that was silent for longer than several pings of the gateway is dead. */
const SILENCE_MS = 120_000;

export interface ConnectionEvents {
  /** Finds the gateway anew. */
  find(): Promise<Endpoint>;
  opened(): void;
  message(text: string): void;
  lost(): void;
  refused(reason: 'unauthenticated' | 'unreachable', words: string): void;
}

/** The connection to the gateway, made again whenever it is lost. */
export class Connection {
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #isClosed = false;

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  send(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close(1000);
  }

  /** Runs until it is closed. Throws CliError when the gateway cannot be found at all. */
  async run(): Promise<void> {
    let since = performance.now();
    for (let failures = 0; !this.#isClosed; failures += 1) {
      const end = await this.#once();
      if (this.#isClosed) return;
      if (end.wasOpen) {
        failures = 0;
        since = performance.now();
      }
      if (end.status === 401 || end.status === 403) {
        this.#events.refused(
          'unauthenticated',
          'The gateway does not accept this key. Use --key-file with another one.',
        );
      } else if (performance.now() - since > PATIENCE_MS) {
        this.#events.refused('unreachable', 'No gateway answers. Start one with "harn-gateway serve".');
      }
      await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]);
    }
  }

  async #once(): Promise<{ wasOpen: boolean; status?: number }> {
    let endpoint: Endpoint;
    try {
      endpoint = await this.#events.find();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      process.stderr.write(`harn-gateway acp: ${error.message}\n`);
      return { wasOpen: false };
    }
    const socket = new WebSocket(`${endpoint.url.replace(/^http/, 'ws')}/acp`, {
      headers: { authorization: `Bearer ${endpoint.key}` },
      handshakeTimeout: PATIENCE_MS,
      perMessageDeflate: false,
      maxPayload: 0,
    });
    this.#socket = socket;
    return this.#follow(socket);
  }

  #follow(socket: WebSocket): Promise<{ wasOpen: boolean; status?: number }> {
    return new Promise((resolve) => {
      let wasOpen = false;
      let status: number | undefined;
      let silence = setTimeout(() => socket.terminate(), SILENCE_MS);
      const heard = () => {
        clearTimeout(silence);
        silence = setTimeout(() => socket.terminate(), SILENCE_MS);
      };
      socket.on('ping', heard);
      socket.on('open', () => {
        wasOpen = true;
        this.#events.opened();
      });
      socket.on('message', (data) => {
        heard();
        this.#events.message(String(data));
      });
      socket.on('unexpected-response', (_request, response) => {
        status = response.statusCode;
        socket.terminate();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (status === undefined) process.stderr.write(`harn-gateway acp: ${error.code ?? error.message}\n`);
      });
      socket.on('close', () => {
        clearTimeout(silence);
        if (wasOpen) this.#events.lost();
        resolve(status === undefined ? { wasOpen } : { wasOpen, status });
      });
    });
  }
}
