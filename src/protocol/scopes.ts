/** `<collection>:read|write` for every collection, and the single ones. See README.md, Scopes. */
export const SCOPES = [
  'workspaces:read',
  'workspaces:write',
  'sessions:read',
  'sessions:write',
  'branches:read',
  'branches:write',
  'messages:read',
  'messages:write',
  'tasks:read',
  'tasks:write',
  'tasks:replay',
  'permissions:read',
  'permissions:respond',
  'events:read',
  'artifacts:read',
  'artifacts:write',
  'outcomes:read',
  'receipts:read',
  'personas:read',
  'personas:write',
  'vaults:read',
  'vaults:write',
  'connectors:read',
  'quotas:read',
  'agents:read',
  'trust_records:read',
  'dead_letters:read',
  'dead_letters:write',
  'skills:read',
  'runtime:read',
  'tools:read',
  'memories:read',
  'memories:write',
  'audit:read',
  'erasures:read',
  'erasures:write',
  'holds:read',
  'holds:write',
  'bundles:read',
  'bundles:write',
  'internal:read',
  'admin',
  'metrics:read',
  'operator',
  '*',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes about the gateway as a whole and not about one tenant: `*` does not cover them. `operator` covers both. */
export const GATEWAY_SCOPES: readonly string[] = ['operator', 'metrics:read'] satisfies Scope[];

/** The scopes of a credential that the operator wrote down: there, and only there, `*` is the operator too. */
export function scopesOfOperator(scopes: readonly string[]): readonly string[] {
  return scopes.includes('*') ? [...new Set([...scopes, 'operator'])] : scopes;
}
