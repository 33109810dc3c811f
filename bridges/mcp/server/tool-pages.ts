import type { FaceDeps, FaceExchange } from '#face.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { OfferedTool } from './offered-tools.ts';
import { toolsFor } from './requests.ts';

/** Tools of one page of a list. */
const PAGE = 250;

/** One page of what this caller may call, by name. A cursor outlives changes of the list: it is the last name that was told. */
export async function listTools(
  deps: FaceDeps,
  exchange: FaceExchange,
  cursor: unknown,
): Promise<JsonObject> {
  return pageOf(await toolsFor(deps, exchange), cursor, PAGE);
}

/** Throws `invalid_request` for a cursor that this list never gave. */
export function pageOf(tools: readonly OfferedTool[], cursor: unknown, size: number): JsonObject {
  const after = cursor === undefined ? '' : nameOf(cursor);
  const rest = tools.map(({ definition }) => definition).filter(({ name }) => name > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const hasMore = rest.length > page.length && last !== undefined;
  return {
    tools: page,
    ...(hasMore ? { nextCursor: Buffer.from(last.name).toString('base64url') } : {}),
  };
}

function nameOf(cursor: unknown): string {
  const name = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new ProtocolError(
    'invalid_request',
    'params.cursor: must be the nextCursor of the page before. Leave it out for the first page.',
    { param: 'params.cursor' },
  );
}
