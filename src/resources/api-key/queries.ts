import type { KnownKey } from '#core/facts.ts';
import { listGiven, listPage, paging } from '#core/list-page.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { seesApiKey } from './make-api-key.ts';
import type { ApiKey } from './schema.ts';
import { type ApiKeyState, apiKeyKeys } from './state.ts';

export const listApiKeys: Query<'listApiKeys'> = ({ query }, tools) => {
  if (query.source === 'configured') return listGiven(tools, configuredKeys(tools), paging(query));
  return listPage(tools, {
    lists: [apiKeyKeys.apiKeys(tools.caller.tenant)],
    ...paging(query),
    keyOf: apiKeyKeys.apiKey,
    shape: (state, { reader, caller }) => {
      const { resource } = state as ApiKeyState;
      return seesApiKey(reader, caller, resource) ? resource : undefined;
    },
  });
};

/** They are for whoever may see all that they may; their ids are those of the configuration. */
function configuredKeys({ self, reader, caller }: QueryTools): ApiKey[] {
  return self
    .keys()
    .map((key) => resourceOf(key, self.startedAt))
    .filter(({ tenant_id, workspaces }) => {
      const named = workspaces.filter((id) => id !== '*');
      const seesAll = named.length === workspaces.length || caller.workspaces.includes('*');
      return tenant_id === caller.tenant && seesAll && seesApiKey(reader, caller, { workspaces: named });
    });
}

function resourceOf({ id, actor, tenant, scopes, workspaces }: KnownKey, startedAt: string): ApiKey {
  return {
    id,
    object: 'api_key',
    created_at: startedAt,
    updated_at: startedAt,
    metadata: { source: 'configured' },
    name: id,
    actor,
    tenant_id: tenant,
    scopes: [...scopes],
    workspaces: [...workspaces],
    expires_at: null,
    revoked_at: null,
    replaced_by: null,
  };
}
