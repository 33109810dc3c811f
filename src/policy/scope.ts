import type { Caller } from '#auth/caller.ts';
import { GATEWAY_SCOPES } from '#protocol/scopes.ts';

/**
 * Exact words only: no prefix and no substring matches. `*` is every scope of a tenant's work, `admin` is not; the scopes of
 * the gateway itself are held by name, or by `operator`.
 */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (caller.scopes.has(scope)) return true;
  return caller.scopes.has(GATEWAY_SCOPES.includes(scope) ? 'operator' : '*');
}
