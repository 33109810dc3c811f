import { codeOfError } from '../../../mappings/acp/errors.ts';
import { type RpcError, refusedBy } from '../../wire/json-rpc.ts';

/** A refusal of the gateway as clients of ACP get it. */
export function rpcErrorOf(thrown: unknown, requestId: string): RpcError {
  return refusedBy(thrown, codeOfError, requestId);
}
