import type { Caller } from '#auth/caller.ts';
import type { Answer } from '#gateway.ts';
import { holdsScope } from '#policy/access.ts';
import { conceal } from '#policy/visibility.ts';

/** A resource as this caller may see it: without what is internal, unless its scopes allow that. */
export function ok(resource: object, caller: Caller): Answer {
  return {
    status: 200,
    body: { kind: 'json', value: conceal(resource, holdsScope(caller, 'internal:read')) },
  };
}

/** One page of a list, with the top-level copies of the page members. */
export function page(data: readonly object[], nextCursor: string | null, caller: Caller): Answer {
  const has_more = nextCursor !== null;
  const value = {
    object: 'list',
    data,
    page: { has_more, next_cursor: nextCursor },
    has_more,
    next_cursor: nextCursor,
  };
  return ok(value, caller);
}
