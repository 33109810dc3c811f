import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { RefusedPath, ServerExchange } from '#protocol-server.ts';
import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { encodeError, refusal, restErrorBody } from '../../../mappings/a2a/errors-out.ts';
import { A2A_REST_TYPE } from '../../../mappings/a2a/operations.ts';
import type { TaskView } from '../../../mappings/a2a/task-view.ts';
import { errorAnswer, type RpcFault } from '../../wire/json-rpc.ts';

export const RPC_TYPE = 'application/json; charset=utf-8';

/** Whether something is not there for this caller: absent and forbidden are alike. */
export function isHidden(error: unknown): boolean {
  return error instanceof ProtocolError && ['resource_not_found', 'permission_denied'].includes(error.code);
}

/** The members of an error in JSON-RPC. Details are those of `google.rpc`, as A2A wants them. */
export function errorMembers(error: ProtocolError): RpcFault & JsonObject {
  const { code, message, details } = encodeError(error);
  return { code, message, data: details };
}

export function rpcErrorBody(id: JsonValue, error: ProtocolError): string {
  return errorAnswer(id, errorMembers(error));
}

/** The agent's refusal of a message it made no task of; it leaves as the error it came as. */
export function refusalOf(view: TaskView): ProtocolError | undefined {
  const { failure } = view.status;
  const name = failure?.details?.['a2a_error'];
  if (failure === undefined || view.isBound || typeof name !== 'string' || name === 'unknown')
    return undefined;
  return refusal(name as A2aErrorName, failure.message);
}

/** The same refusal under the name that a cursor has in A2A. */
export function pageTokenFault(error: unknown): unknown {
  const isCursor = error instanceof ProtocolError && error.param === 'cursor';
  return isCursor ? refusal('InvalidParams', 'Send a page token that this list gave.', 'pageToken') : error;
}

const WHERE = 'An agent is at /a2a/{agent}; its card says so.';

/**
 * A path that A2A does not have, or a request that is refused before its path counts, in the words of the binding that the
 * request looks like: JSON-RPC posts plain JSON, and only HTTP+JSON has verbs in its paths and a media type of its own. Nobody's
 * body is read for it.
 */
export function refusePath(exchange: ServerExchange, { method, path, error, headers }: RefusedPath): void {
  const isKnown = headers.length > 0;
  const refused =
    error.code === 'resource_not_found'
      ? refusal('MethodNotFound', isKnown ? error.message : `No such path. ${WHERE}`)
      : error;
  exchange.failed(error);
  const encoded = encodeError(refused);
  const isPlainJson = (exchange.headers['content-type'] ?? '').toLowerCase().startsWith('application/json');
  if (method === 'POST' && isPlainJson && !path.includes(':'))
    exchange.send(encoded.http, RPC_TYPE, rpcErrorBody(null, refused), headers);
  else exchange.send(encoded.http, A2A_REST_TYPE, JSON.stringify(restErrorBody(encoded)), headers);
}
