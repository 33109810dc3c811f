import type { Message } from './message.ts';

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** The largest message that a gateway takes, as it says when it is introduced to an editor. One above it would end the connection. */
export class SizeLimit {
  #maxBytes = Number.POSITIVE_INFINITY;

  /** Takes note of an answer to `initialize`, of the draft version too. */
  learn(result: Message['result']): void {
    const capabilities = memberOf(result, 'agentCapabilities') ?? memberOf(result, 'capabilities');
    const maxBytes = memberOf(memberOf(capabilities, '_meta'), 'harn')?.['maxMessageBytes'];
    if (typeof maxBytes === 'number') this.#maxBytes = maxBytes;
  }

  admits(text: string): boolean {
    return Buffer.byteLength(text) <= this.#maxBytes;
  }

  /** What an editor is answered in place of the gateway. */
  refusal(id: Message['id']): string {
    const harn = { code: 'payload_too_large', type: 'request_error' };
    const message = `The message has more than ${this.#maxBytes} bytes. Send less, or attach less to it.`;
    return JSON.stringify({
      jsonrpc: '2.0',
      id: id ?? null,
      error: { code: INVALID_PARAMS, message, data: { harn } },
    });
  }

  /** What the gateway gets in place of an answer of the editor. */
  apology(id: number): string {
    const message = `The answer of the editor has more than ${this.#maxBytes} bytes.`;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
  }
}

function memberOf(value: unknown, name: string): Record<string, unknown> | undefined {
  const member = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'object' && member !== null ? (member as Record<string, unknown>) : undefined;
}
