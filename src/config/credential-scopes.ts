import { GATEWAY_SCOPES } from '#protocol/scopes.ts';
import type { Settings } from './schema.ts';
import { DEFAULT_TENANT } from './sections/tenancy.ts';

/** A credential that has a wide scope and yet not those of the gateway itself, which the wide one once covered. */
export interface NarrowedCredential {
  /** Where it is written down, for example `auth.api_keys[0]`. */
  path: string;
  /** Id of the key, or the issuer. */
  name: string;
  /** The scopes it does not have, of `operator` and `metrics:read`. */
  lacks: string[];
}

/**
 * Who may administer a tenant, but not rotate, revoke or list the gateway's signing keys (`operator`), nor read its metrics
 * (`metrics:read`). A configured key with `*` is the operator; a token is only where its issuer may grant it by name.
 */
export function narrowedCredentials({ api_keys, oauth }: Settings['auth']): NarrowedCredential[] {
  const keys = api_keys
    .map(({ id, scopes }, at) => ({ path: `auth.api_keys[${at}]`, name: id, scopes }))
    .filter(({ scopes }) => !scopes.includes('*'));
  const issuers = oauth.map(({ issuer, scopes }, at) => ({
    path: `auth.oauth[${at}]`,
    name: issuer,
    scopes,
  }));
  return [...keys, ...issuers].flatMap(({ path, name, scopes }) => {
    const held: readonly string[] = scopes;
    const isWide = held.includes('admin') || held.includes('*');
    const lacks = GATEWAY_SCOPES.filter((scope) => !held.includes(scope));
    return isWide && !held.includes('operator') ? [{ path, name, lacks }] : [];
  });
}

/** A key of one tenant that may do more than its tenant gives away. */
export interface TenantOperator {
  path: string;
  name: string;
  tenant: string;
}

/**
 * Keys of a tenant, other than the built-in one, whose `*` makes them operator of the whole gateway. A key that lists `operator`
 * says so itself.
 */
export function tenantOperators({ api_keys }: Settings['auth']): TenantOperator[] {
  return api_keys.flatMap(({ id, tenant, scopes }, at) =>
    tenant !== DEFAULT_TENANT && scopes.includes('*') && !scopes.includes('operator')
      ? [{ path: `auth.api_keys[${at}]`, name: id, tenant }]
      : [],
  );
}
