import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { type Child, type ChildEnd, type ChildOptions, startChild } from '../../wire/child.ts';
import { messageIn } from '../../wire/line-splitter.ts';

export interface ChildTransportOptions extends Omit<ChildOptions, 'onLine'> {
  parseJson(text: string): JsonValue;
}

/**
 * JSON-RPC over the standard streams of a supervised child. What is no JSON-RPC message on its standard output is noise:
 * it is reported as such and breaks nothing.
 */
export class ChildTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #options: ChildTransportOptions;
  #child: Child | undefined;
  /** How the child ended, once it has. */
  end: ChildEnd | undefined;

  constructor(options: ChildTransportOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Whoever asked the server for its revisions has started it already. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const child = startChild({ ...this.#options, onLine: (line) => this.#take(line) });
    this.#child = child;
    void child.ended.then((end) => {
      this.end = end;
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#child === undefined) throw new Error('The server is not started.');
    await this.#child.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#child?.close();
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const value = messageIn(line, (text) => this.#options.parseJson(text));
    if (isObject(value) && 'jsonrpc' in value) this.onmessage?.(value as unknown as JSONRPCMessage);
    else this.#options.onNoise(line);
  }
}
