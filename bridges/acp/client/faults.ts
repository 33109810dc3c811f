import type { JsonObject } from '#protocol/json.ts';
import { objectsOf, textOf } from '#protocol/json-shape.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { Fault, unavailable } from '../../wire/faults.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';

/** A WebSocket counts pieces as well as bytes. */
export function tooLong(maxBytes: number): Fault {
  const message = `The agent sent a message of more than ${maxBytes} bytes, or in too many pieces.`;
  return new Fault('payload_too_large', message, { max_bytes: maxBytes });
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return unavailable('lost', 'The connection to the agent broke.');
}

export const LOGIN_WANTED = 'The agent wants somebody to log in where it runs.';
const MAX_WAYS = 10;
const MAX_NAME = 200;

/**
 * Names of the ways to log in, where an answer is the wish for a login; undefined for every other one. `initialized`: what the
 * agent said of itself.
 */
export function loginWays(
  answer: RpcAnswer,
  { initialized }: { initialized: JsonObject },
): string[] | undefined {
  if (!('error' in answer) || answer.error.code !== ACP_ERRORS.auth_required) return undefined;
  const names = objectsOf(initialized['authMethods']).flatMap(({ name }) => textOf(name) ?? []);
  return names.slice(0, MAX_WAYS).map((name) => name.slice(0, MAX_NAME));
}
