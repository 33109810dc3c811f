import { parse } from 'node:querystring';
import { ProtocolError } from '../../protocol/errors.ts';

export type Query = Record<string, string | string[]>;

const NONE: Query = Object.freeze({});

/**
 * Decodes the query of a target. `single` names the parameters that have one value; a second one is refused, because
 * readers disagree on which of the two counts.
 */
export function decodeQuery(target: string, single: ReadonlySet<string>): Query {
  const at = target.indexOf('?');
  if (at < 0 || at === target.length - 1) return NONE;
  const query = parse(target.slice(at + 1)) as Query;
  for (const name in query) {
    if (typeof query[name] === 'string' || !single.has(name)) continue;
    throw new ProtocolError('invalid_request', `Send the parameter ${name} once.`, { param: name });
  }
  return query;
}
