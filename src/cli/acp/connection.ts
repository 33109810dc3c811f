import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { CliError, EXIT } from '../exit-codes.ts';
import type { Endpoint } from './endpoint.ts';

/** Pauses before another attempt; the last one is repeated. */
const BACKOFF_MS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000];
/** Editors wait 20 s for an answer; they get an error before. */
const PATIENCE_MS = 15_000;
/** A connection that was silent for longer than several pings of the gateway is dead. */
const SILENCE_MS = 120_000;

/** `misconfigured`: what time does not mend, such as a key file that is not there. */
export type Refusal = 'unauthenticated' | 'unreachable' | 'misconfigured';

/** How an attempt to connect ended. */
interface End {
  wasOpen: boolean;
  /** Of an HTTP answer in place of the upgrade. */
  status?: number;
  /** Why there was no connection, in words. */
  why?: string;
  isMistake?: boolean;
}

export interface ConnectionEvents {
  /** Finds the gateway anew. */
  find(): Promise<Endpoint>;
  opened(): void;
  message(text: string): void;
  lost(): void;
  refused(reason: Refusal, words: string): void;
}

/** The connection to the gateway, made again whenever it is lost. */
export class Connection {
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #isClosed = false;
  #said: string | undefined;

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

  /** Runs until it is closed. */
  async run(): Promise<void> {
    let since = performance.now();
    for (let failures = 0; !this.#isClosed; failures += 1) {
      const end = await this.#once();
      if (this.#isClosed) return;
      if (end.wasOpen) {
        failures = 0;
        since = performance.now();
      }
      const { why = 'No gateway answers.' } = end;
      if (end.status === 401 || end.status === 403) {
        this.#events.refused(
          'unauthenticated',
          'The gateway does not accept this key. Use --key-file with another one.',
        );
      } else if (end.isMistake) this.#events.refused('misconfigured', why);
      else if (performance.now() - since > PATIENCE_MS) this.#events.refused('unreachable', why);
      await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]);
    }
  }

  async #once(): Promise<End> {
    let endpoint: Endpoint;
    try {
      endpoint = await this.#events.find();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#say(error.message);
      // Data that is in use is free when its owner is ready, or has ended.
      return { wasOpen: false, why: error.message, isMistake: error.exitCode !== EXIT.dataInUse };
    }
    // The editor may have left meanwhile; a socket that is opened now would be closed by nobody.
    if (this.#isClosed) return { wasOpen: false };
    const { url, key } = endpoint;
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/acp`, {
      headers: { authorization: `Bearer ${key}` },
      handshakeTimeout: PATIENCE_MS,
      perMessageDeflate: false,
      maxPayload: 0,
    });
    this.#socket = socket;
    return this.#follow(socket, url);
  }

  #follow(socket: WebSocket, url: string): Promise<End> {
    return new Promise((resolve) => {
      let end: End = { wasOpen: false };
      let silence = setTimeout(() => socket.terminate(), SILENCE_MS);
      const heard = () => {
        clearTimeout(silence);
        silence = setTimeout(() => socket.terminate(), SILENCE_MS);
      };
      socket.on('ping', heard);
      socket.on('open', () => {
        end = { wasOpen: true };
        this.#said = undefined;
        this.#events.opened();
      });
      socket.on('message', (data) => {
        heard();
        this.#events.message(String(data));
      });
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
        const why = `${url} answers /acp with status ${statusCode}. Is it the address of a Harn gateway?`;
        end = { wasOpen: false, status: statusCode, why };
        socket.terminate();
      });
      socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
        if (end.status !== undefined) return;
        const why = `No gateway answers at ${url} (${code ?? message}). Start one with "harn-gateway serve".`;
        end = { ...end, why };
        this.#say(why);
      });
      socket.on('close', () => {
        clearTimeout(silence);
        if (end.wasOpen) this.#events.lost();
        resolve(end);
      });
    });
  }

  /** Attempts that fail alike are one line in the log of the editor. */
  #say(words: string): void {
    if (this.#said === words) return;
    this.#said = words;
    process.stderr.write(`harn-gateway acp: ${words}\n`);
  }
}
