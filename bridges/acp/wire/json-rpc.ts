import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';

export type RpcId = string | number | null;

/** What a JSON-RPC 2.0 message is. Batches are no part of ACP and are `invalid`. */
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

/** A refusal on its way to the other side; the message is public. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly fault: RpcFault;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.fault = { code, message, ...(data === undefined ? {} : { data }) };
  }
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
    ? answer(refused.id, { error: { code: ACP_ERRORS.invalid_params, message: why } })
    : answer(null, { error: { code: ACP_ERRORS.parse_error, message: why } });
}

export function request(id: RpcId, method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notification(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function answer(id: RpcId, given: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...given });
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(ACP_ERRORS.method_not_found, `"Method not found": ${method}`);
}

export function invalidParams(param: string, message: string): RpcError {
  return new RpcError(ACP_ERRORS.invalid_params, `${param}: ${message}`, { param });
}

function idOf(id: JsonValue | undefined): RpcId | undefined {
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}

function faultOf(error: JsonObject): RpcFault {
  const { code, message, data } = error;
  return {
    code: typeof code === 'number' ? code : ACP_ERRORS.internal_error,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  };
}
