/** What a scripted agent knows of the request it answers. */
export interface ScriptedCall {
  /** The id of the JSON-RPC request; undefined when the body is none. */
  readonly id: unknown;
  readonly params: unknown;
  /** How many requests of this operation came before. */
  readonly earlier: number;
}

/** One thing done to the response. Actions run in order; times are milliseconds. */
export type Action =
  /** Bytes as they are. */
  | { readonly send: string | Uint8Array }
  /** An SSE event whose data is this value. */
  | { readonly frame: unknown }
  /** An SSE event holding a JSON-RPC success with the id of the request. */
  | { readonly result: unknown }
  | { readonly delayMs: number }
  /** The bytes one at a time. */
  | { readonly drip: string; readonly everyMs: number }
  /** So many bytes of `x` without a line end. */
  | { readonly flood: number }
  /** Goes on when the test resolves the promise. */
  | { readonly until: Promise<unknown> }
  /** Leaves the response open for ever. */
  | { readonly hang: true }
  /** Ends the connection with a TCP reset. */
  | { readonly reset: true };

export interface ScriptedReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly actions: readonly Action[];
  /** Writes to the bare socket: status line and headers are then the script's own. */
  readonly bareSocket?: boolean;
}

export type Answer = ScriptedReply | ((call: ScriptedCall) => ScriptedReply);

/**
 * Answers by operation: a JSON-RPC method (`message/stream`, `SendMessage`) or `METHOD /path`. Of a list, the n-th
 * answers the n-th request and the last one all further ones. What is not in the script is answered with -32601.
 */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>;

/** A JSON document with any status. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): ScriptedReply {
  const type = { 'Content-Type': 'application/json' };
  return { status, headers: { ...type, ...headers }, actions: [{ send: JSON.stringify(value) }] };
}

/** A JSON-RPC success. */
export function result(value: unknown): Answer {
  return ({ id }) => json({ jsonrpc: '2.0', id, result: value });
}

/** A JSON-RPC error, with HTTP status 200 as A2A wants. */
export function rpcError(code: number, message: string, data?: unknown): Answer {
  return ({ id }) => json({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } });
}

/** An event stream. It ends after the last action, unless that one hangs or resets. */
export function stream(...actions: Action[]): ScriptedReply {
  return { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }, actions };
}

/** Any body with any type; for what is malformed on purpose. */
export function body(contentType: string, ...actions: Action[]): ScriptedReply {
  return { headers: { 'Content-Type': contentType }, actions };
}

/** Bytes on the bare socket instead of an HTTP response. */
export function socket(...actions: Action[]): ScriptedReply {
  return { actions, bareSocket: true };
}
