import type { JsonValue } from '#protocol/json.ts';

/** A JSON-RPC error as it came; the SDK's own error class adds its code to the message at every hop. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
