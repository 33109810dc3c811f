import type { RefusedPath, ServerExchange } from '#protocol-server.ts';
import { encodeError, refusal, restErrorBody } from '../../../mappings/a2a/errors-out.ts';
import { A2A_REST_TYPE } from '../../../mappings/a2a/operations.ts';
import { RPC_TYPE, rpcErrorBody } from './json-rpc.ts';

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
