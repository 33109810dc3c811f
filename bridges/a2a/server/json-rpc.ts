import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import { encodeError, refusal, rpcStatus } from '../../../mappings/a2a/errors-out.ts';
import {
  type A2aOperation,
  isLegacyStream,
  isOperation,
  operationOfMethod,
} from '../../../mappings/a2a/operations.ts';
import { rpcEnvelope } from '../../../mappings/a2a/requests.ts';
import { faultOf } from '../../../mappings/a2a/validate.ts';
import { type Asking, activated, addressed, type Negotiated, negotiate } from './asking.ts';
import { errorMembers, RPC_TYPE, rpcErrorBody } from './faults.ts';
import { type A2aHandler, METHODS, runMethod, type Streaming, takeNotification } from './requests.ts';

const STREAM_TYPE = 'text/event-stream';
const NO_CONTENT = 204;
const MEDIA_TYPE = /^application\/(?:a2a\+)?json[ \t]*(?:;|$)/i;

/**
 * The JSON-RPC binding of one agent, 1.0 and 0.3. Every refusal is a JSON-RPC error; a notification, which is a request
 * without an id, is done and gets no answer, not even an error. Spec: A2A 1.0, 9; JSON-RPC 2.0, 4.1.
 */
export async function answerRpc(
  deps: ServerDeps,
  handler: A2aHandler,
  exchange: ServerExchange,
  segment: string | undefined,
): Promise<void> {
  let asked: Asked = { id: null, method: undefined };
  try {
    // Nobody else's body is read.
    exchange.caller();
    const request = await readEnvelope(exchange, (seen) => {
      asked = seen;
    });
    const { id } = asked;
    const negotiated = negotiate(exchange);
    const name = methodOf(request.method, negotiated);
    deps.gateway.admit(METHODS[name], exchange.call());
    const asking: Asking = { exchange, negotiated, to: await addressed(deps, exchange, segment) };
    const headers = activated(negotiated, asking.to);
    const { params = {} } = request;
    const method = { deps, handler, streaming: rpcStreaming(id ?? null, headers) };
    if (id === undefined) {
      await takeNotification(name, method, asking, params);
      return exchange.sendEmpty(NO_CONTENT);
    }
    const result = await runMethod(name, method, asking, params);
    if (result !== undefined)
      exchange.send(200, RPC_TYPE, JSON.stringify({ jsonrpc: '2.0', id, result }), headers);
  } catch (thrown) {
    sendRpcError(exchange, asked, ProtocolError.from(thrown));
  }
}

/** What is known of a request before it is whole. */
interface Asked {
  /** Undefined for a notification, null while it is not known. */
  id: JsonValue | undefined;
  method: JsonValue | undefined;
}

/**
 * What a client of 0.3 asked a stream for is answered in a stream, because it reads nothing else. What HTTP says by a status stays
 * one: clients and proxies act on it. Spec: A2A 0.3, 3.3.1.
 */
function sendRpcError(exchange: ServerExchange, { id, method }: Asked, error: ProtocolError): void {
  exchange.failed(error);
  const status = error.param === 'Content-Type' ? 415 : rpcStatus(encodeError(error));
  const headers = exchange.errorHeaders(error);
  if (id === undefined) exchange.sendEmpty(status === 200 ? NO_CONTENT : status, headers);
  else if (status === 200 && typeof method === 'string' && isLegacyStream(method))
    exchange.send(status, STREAM_TYPE, rpcStreaming(id, []).failureFrame(error), headers);
  else exchange.send(status, RPC_TYPE, rpcErrorBody(id, error), headers);
}

interface Envelope {
  method: string;
  params: JsonObject | undefined;
}

/** Reads the request; `seen` gets what it asks as soon as that is known, so that a refusal fits it. */
async function readEnvelope(exchange: ServerExchange, seen: (asked: Asked) => void): Promise<Envelope> {
  if (!MEDIA_TYPE.test(exchange.headers['content-type'] ?? ''))
    throw refusal('ContentTypeNotSupported', 'Send the request as application/json.', 'Content-Type');
  const body = await parse(exchange, await exchange.readBody());
  if (Array.isArray(body))
    throw refusal('InvalidRequest', 'Send one request at a time: batches are not supported.');
  const parsed = rpcEnvelope.safeParse(body);
  if (!parsed.success) {
    const { id, method } = isObject(body) ? body : {};
    if (typeof id === 'string' || typeof id === 'number') seen({ id, method });
    const isParams = parsed.error.issues[0]?.path[0] === 'params';
    throw faultOf(parsed.error, isParams ? 'InvalidParams' : 'InvalidRequest');
  }
  seen({ id: parsed.data.id, method: parsed.data.method });
  return { method: parsed.data.method, params: parsed.data.params };
}

async function parse(exchange: ServerExchange, bytes: Buffer): Promise<JsonValue> {
  try {
    return await exchange.parseJson(bytes);
  } catch (error) {
    const fault = ProtocolError.from(error);
    if (fault.code !== 'invalid_request') throw fault;
    throw refusal('ParseError', `The request is not JSON: ${fault.message}`);
  }
}

/** Each version has its own names, so a name of the other one is unknown. */
function methodOf(method: string, { version }: Negotiated): A2aOperation {
  const name = operationOfMethod(method);
  const isOther = name !== undefined && isOperation(method) !== (version === '1.0');
  if (name !== undefined && !isOther) return name;
  const advice = isOther
    ? `This is a method of the other version. Send the header A2A-Version: ${version === '1.0' ? '0.3' : '1.0'} with it.`
    : 'There is no such method.';
  throw refusal('MethodNotFound', advice, 'method');
}

function rpcStreaming(id: JsonValue, headers: readonly string[]): Streaming {
  const head = Buffer.from(`data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},`);
  const sse = (cursor: string, member: string, value: unknown) =>
    Buffer.concat([
      Buffer.from(cursor === '' ? '' : `id: ${cursor}\n`),
      head,
      Buffer.from(`"${member}":${JSON.stringify(value)}}\n\n`),
    ]);
  return {
    headers,
    frame: (event, cursor) => sse(cursor, 'result', event),
    failureFrame: (error) => sse('', 'error', errorMembers(error)),
  };
}
