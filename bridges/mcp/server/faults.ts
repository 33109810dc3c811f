import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ServerExchange } from '#protocol-server.ts';
import { codeOfFailure } from '../../../mappings/mcp/errors.ts';
import { errorAnswer, type RpcError, refusedBy } from '../../wire/json-rpc.ts';

/** An error as the SDKs put it on the wire. Not the SDK's own class, which would write its code into the message at every hop. */
export function rpcErrorOf(thrown: unknown, requestId: string): RpcError {
  return refusedBy(thrown, codeOfFailure, requestId);
}

/** Refusals that a model can do something about are results; the rest is the client's business. */
const TOLD_TO_MODEL = [
  'invalid_request',
  'policy_violation',
  'rate_limited',
  'payload_too_large',
  'conflict',
];

/** The result of a call that was refused; undefined for an error of the protocol. Spec: MCP SEP-1303. */
export function refusedCall(thrown: unknown, requestId: string): JsonObject | undefined {
  const error = ProtocolError.from(thrown);
  if (!TOLD_TO_MODEL.includes(error.code)) return undefined;
  return {
    content: [{ type: 'text', text: error.message }],
    isError: true,
    _meta: { 'dev.harn-gateway/error': error.toBody(requestId).error },
  };
}

/** Answers an HTTP request that names no JSON-RPC request. */
export function sendRpcError(
  exchange: ServerExchange,
  status: number,
  code: number,
  message: string,
  headers: readonly string[] = [],
): void {
  exchange.send(status, 'application/json', errorAnswer(null, { code, message }), headers);
}
