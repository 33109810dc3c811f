import type { Caller } from '#auth/caller.ts';
import type { Facts } from '#core/facts.ts';
import { isMemberOf, load, notFound } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isLive, liveKeysOf } from './fold.ts';
import type { ApiKey } from './schema.ts';

/** These events name workspaces that other readers of the tenant may not know; who administers the key sees them. */
const NOWHERE = {};

export type ApiKeyGrant = Clean<
  Pick<ApiKey, 'name' | 'actor' | 'scopes' | 'workspaces' | 'expires_at' | 'metadata'>
>;

/** Makes a key of the caller's tenant; the key itself is in the answer only, never in the log. */
export function makeApiKey(grant: ApiKeyGrant, tx: Transaction, facts: Facts) {
  const { tenant } = facts.by;
  const { key, hash } = facts.newApiKey(grant.name);
  const made: Clean<ApiKey> = {
    id: facts.newId('apikey'),
    object: 'api_key',
    created_at: tx.time,
    updated_at: tx.time,
    metadata: grant.metadata,
    name: grant.name,
    actor: grant.actor,
    tenant_id: tenant,
    scopes: grant.scopes,
    workspaces: grant.workspaces,
    expires_at: grant.expires_at,
    revoked_at: null,
    replaced_by: null,
  };
  const pointer = { object: 'api_key', id: made.id };
  tx.append(newEvent('vendor.harn_gateway.api_key_created', pointer, NOWHERE, { api_key: made, hash }));
  return { ...load(tx, facts.caller, 'api_key', made.id).resource, key };
}

/** Ends a key at a time, or at once. */
export function endApiKey(
  key: Clean<ApiKey>,
  changes: Partial<Pick<Clean<ApiKey>, 'expires_at' | 'revoked_at' | 'replaced_by'>>,
  tx: Transaction,
): void {
  const { id, expires_at, revoked_at, replaced_by } = key;
  const ending = { expires_at, revoked_at, replaced_by, ...changes };
  tx.append(newEvent('vendor.harn_gateway.api_key_ended', { object: 'api_key', id }, NOWHERE, ending));
}

/** A key grants at most what its maker holds: otherwise `admin` would be every scope. */
export function refuseWider({ scopes, workspaces }: ApiKeyGrant, tx: Transaction, { caller }: Facts): void {
  const scopeAt = scopes.findIndex((scope) => !holdsScope(caller, scope));
  if (scopeAt !== -1) {
    const message = 'A key grants at most what you hold yourself. Leave this scope out.';
    throw new ProtocolError('permission_denied', message, {
      param: `scopes[${scopeAt}]`,
      details: { required_scope: scopes[scopeAt] ?? '' },
    });
  }
  const workspaceAt = workspaces.findIndex((id) => !isMemberOf(tx, caller, id));
  if (workspaceAt !== -1) throw notFound('workspace', `workspaces[${workspaceAt}]`);
}

/** A key the caller could have made by its workspaces; any other is absent. */
export function loadApiKey(id: string, reader: StateReader, caller: Caller): Clean<ApiKey> {
  const { resource } = load(reader, caller, 'api_key', id);
  if (seesApiKey(reader, caller, resource)) return resource;
  throw notFound('api_key');
}

export function seesApiKey(
  reader: StateReader,
  caller: Caller,
  { workspaces }: Pick<ApiKey, 'workspaces'>,
): boolean {
  return workspaces.every((id) => isMemberOf(reader, caller, id));
}

/** A key that still works; a second ending of it would say nothing. */
export function loadLiveKey(id: string, tx: Transaction, { caller }: Facts): Clean<ApiKey> {
  const resource = loadApiKey(id, tx, caller);
  if (isLive(resource, tx.time)) return resource;
  throw new ProtocolError('conflict', 'This key has ended already. Make a new one.', {
    details: { revoked_at: resource.revoked_at, expires_at: resource.expires_at },
  });
}

/** Most keys of one actor at a time: one in use, and its successor. */
const MAX_LIVE_KEYS = 2;

/** Refuses a key that its actor would have besides two others; `ended` is one that ends with this. */
export function refuseThirdKey(actor: string, tx: Transaction, { caller }: Facts, ended?: string): void {
  const live = liveKeysOf(tx, caller.tenant, actor, tx.time).filter((id) => id !== ended);
  if (live.length < MAX_LIVE_KEYS) return;
  const message =
    'This actor has two live keys already. Revoke one, or rotate one with overlap_seconds 0; or make the key for another actor.';
  throw new ProtocolError('conflict', message, { param: 'actor', details: { live_keys: live.length } });
}

/** Reads the answer of a repeated call: everything but the key. */
export const shownAgain = (id: string, tx: Transaction, { caller }: Facts) => ({
  body: loadApiKey(id, tx, caller),
});
