import { objectsOf, textOf } from '#protocol/json-shape.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import type { AgentConnection } from './connection.ts';

export const LOGIN_WANTED = 'The agent wants somebody to log in where it runs.';
const MAX_WAYS = 10;
const MAX_NAME = 200;

/** Names of the ways to log in, where an answer is the wish for a login; undefined for every other one. */
export function loginWays(answer: RpcAnswer, { initialized }: AgentConnection): string[] | undefined {
  if (!('error' in answer) || answer.error.code !== ACP_ERRORS.auth_required) return undefined;
  const names = objectsOf(initialized['authMethods']).flatMap(({ name }) => textOf(name) ?? []);
  return names.slice(0, MAX_WAYS).map((name) => name.slice(0, MAX_NAME));
}
