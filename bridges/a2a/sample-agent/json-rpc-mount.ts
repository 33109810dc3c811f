import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError, toJsonRpcError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, validateVersion } from '@a2a-js/sdk/server';
import { type Call, callContext, isJson, requestedVersion } from './call.ts';
import { type Reply, streamReply } from './reply.ts';

const PARSE_ERROR = { code: -32700, message: 'The body is not JSON.' };
const INVALID_REQUEST = { code: -32600, message: 'The body is not a JSON-RPC 2.0 request.' };

type Mount = (call: Call) => Promise<Reply>;
type RpcRequest = Record<string, unknown>;

/** JSON-RPC of A2A 1.0 and 0.3 on one URL; the A2A-Version header says which. */
export function jsonRpcMount(handler: A2ARequestHandler): Mount {
  const current = {
    transport: new JsonRpcTransportHandler(handler),
    toError: (error: unknown) => toJsonRpcError(error),
  };
  const legacy = {
    transport: new LegacyJsonRpcTransportHandler(handler),
    toError: (error: unknown) => LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error),
  };
  return async (call) => {
    const request = parse(call.body);
    if (request === undefined) return failure(null, PARSE_ERROR);
    if (!isRpcRequest(request)) return failure(null, INVALID_REQUEST);
    const id = request['id'] ?? null;
    const { transport, toError } = requestedVersion(call) === '0.3' ? legacy : current;
    try {
      if (!isJson(call)) throw new ContentTypeNotSupportedError('Send application/json.');
      validateVersion(requestedVersion(call), await handler.getAgentCard(), 'JSONRPC');
    } catch (error) {
      return failure(id, toError(error));
    }
    const answer = await transport.handle(request, callContext(call));
    if (!(Symbol.asyncIterator in answer)) return { status: 200, body: answer };
    return streamReply(
      answer,
      (error) => failure(id, toError(error)),
      (error) => failure(id, toError(error)).body,
    );
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isRpcRequest(value: unknown): value is RpcRequest {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
}

/** JSON-RPC errors travel with HTTP status 200. */
function failure(id: unknown, error: object): { status: 200; body: object } {
  return { status: 200, body: { jsonrpc: '2.0', id, error } };
}
