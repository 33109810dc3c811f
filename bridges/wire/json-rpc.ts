import { type ErrorCode, ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** Codes that JSON-RPC itself gives; those of a protocol stand in its mappings. Spec: JSON-RPC 2.0, 5.1. */
export const RPC_ERRORS = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
} as const satisfies Record<string, number>;

export type RpcId = string | number | null;

/** What a JSON-RPC 2.0 message is. A batch is `invalid`. */
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: JsonObject }
  | { kind: 'notification'; method: string; params: JsonObject }
  | { kind: 'response'; id: RpcId; answer: RpcAnswer }
  | { kind: 'invalid'; id: RpcId; reason: string };

export type RpcAnswer = { result: JsonValue } | { error: RpcFault };

export interface RpcFault {
  code: number;
  message: string;
  data?: JsonValue;
}

/** An error as it came, or a refusal on its way to the other side: then the message is public. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** As it stands in a message. */
  get fault(): RpcFault {
    const { code, message, data } = this;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
}

/**
 * A refusal of the gateway as a JSON-RPC error with the code of the protocol; an RpcError stays itself. `data.harn` is the error as
 * REST has it.
 */
export function refusedBy(thrown: unknown, codeOf: (code: ErrorCode) => number, requestId: string): RpcError {
  if (thrown instanceof RpcError) return thrown;
  const error = ProtocolError.from(thrown);
  const { error: harn } = error.toBody(requestId);
  const uri = error.details?.['uri'];
  return new RpcError(codeOf(error.code), error.message, { harn, ...(uri === undefined ? {} : { uri }) });
}

/** Spec: JSON-RPC 2.0. `jsonrpc` may be missing, as some peers leave it out; everything else decides what it is. */
export function readRpc(value: JsonValue): RpcMessage {
  if (!isObject(value)) return { kind: 'invalid', id: null, reason: 'A message is one JSON object.' };
  const { method } = value;
  const id = idOf(value['id']);
  if (typeof method === 'string') {
    const params = isObject(value['params']) ? value['params'] : {};
    if (value['id'] === undefined) return { kind: 'notification', method, params };
    if (id === undefined) return { kind: 'invalid', id: null, reason: 'id must be a string or a number.' };
    return { kind: 'request', id, method, params };
  }
  if (id === undefined) return { kind: 'invalid', id: null, reason: 'The message has no method.' };
  // Some peers send both members, one of them null.
  if (isObject(value['error'])) return { kind: 'response', id, answer: { error: faultOf(value['error']) } };
  if ('result' in value) return { kind: 'response', id, answer: { result: value['result'] ?? null } };
  return { kind: 'invalid', id, reason: 'The message has neither method, result nor error.' };
}

/** Reads a text that was refused well enough to find its id in; `invalid` for what is no JSON at all. */
export function readRefused(text: string): RpcMessage {
  try {
    return readRpc(JSON.parse(text) as JsonValue);
  } catch {
    return { kind: 'invalid', id: null, reason: 'The message is no JSON.' };
  }
}

/** The answer to a text that was refused before anybody was asked: by its id where it has one. */
export function refusalOf(text: string, why: string): string {
  const refused = readRefused(text);
  return refused.kind === 'request'
    ? errorAnswer(refused.id, { code: RPC_ERRORS.invalid_params, message: why })
    : errorAnswer(null, { code: RPC_ERRORS.parse_error, message: why });
}

/** The text of an answer that is an error; `id` is null where the request has none, or it is not known. */
export function errorAnswer(id: JsonValue, error: RpcFault): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(RPC_ERRORS.method_not_found, `"Method not found": ${method}`);
}

export function invalidParams(param: string, message: string): RpcError {
  return new RpcError(RPC_ERRORS.invalid_params, `${param}: ${message}`, { param });
}

/** An error member as it came; what is missing of it is an internal error without words. */
export function faultOf({ code, message, data }: JsonObject): RpcFault {
  return {
    code: typeof code === 'number' ? code : RPC_ERRORS.internal_error,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  };
}

function idOf(id: JsonValue | undefined): RpcId | undefined {
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}
