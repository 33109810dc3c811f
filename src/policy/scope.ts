import type { Caller } from '../auth/caller.ts';

/** Exact words only: no prefix and no substring matches. `*` is every scope, `admin` is not. */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: string): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('*');
}
