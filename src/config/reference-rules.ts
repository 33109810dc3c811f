import type { PathFault } from './fault.ts';
import { configuredRoutes, configuredUpstreams, isAgentRoute } from './routes.ts';
import { rule } from './rules.ts';
import {
  DEFAULT_TENANT,
  DEFAULT_WORKSPACE,
  type TenantSettings,
  type WorkspaceSettings,
} from './sections/tenancy.ts';

/** Every name that points at another option points at one that exists, and every id is the only one of its kind. */
export const REFERENCE_RULES = [
  rule(['auth'], ({ auth }) => repeats(auth.api_keys, ({ id }) => id, ['auth', 'api_keys'], 'id')),
  rule(['auth'], ({ auth }) => repeats(auth.api_keys, ({ hash }) => hash, ['auth', 'api_keys'], 'hash')),
  rule(['auth'], ({ auth }) => repeats(auth.oauth, ({ issuer }) => issuer, ['auth', 'oauth'], 'issuer')),
  rule(
    ['store', 'tenants'],
    ({ store, tenants }) =>
      Object.keys(store.placement).flatMap((tenant) =>
        unknownTenant(tenant, tenants, ['store', 'placement', tenant]),
      ),
    ['tenants'],
  ),
  rule(['server', 'store'], ({ server, store }) =>
    server.grpc?.port !== 0 || store.partitions === 1
      ? []
      : [
          {
            path: ['server', 'grpc', 'port'],
            message: 'must be a fixed port with several partitions: the other nodes hand calls on to it',
          },
        ],
  ),
  rule(['tenants'], ({ tenants }) => repeats(tenants, ({ id }) => id, ['tenants'], 'id')),
  rule(['workspaces'], ({ workspaces }) => repeats(workspaces, ({ id }) => id, ['workspaces'], 'id')),
  rule(['retention'], ({ retention }) =>
    repeats(retention.workspaces, ({ id }) => id, ['retention', 'workspaces'], 'id'),
  ),
  rule(['upstreams'], ({ upstreams }) => {
    const seen = new Set<string>();
    return configuredUpstreams(upstreams).flatMap(({ kind, id, index }) => {
      const isRepeat = seen.has(id);
      seen.add(id);
      if (!isRepeat) return [];
      return [{ path: ['upstreams', kind, index, 'id'], message: 'repeats the id of an earlier entry' }];
    });
  }),

  rule(['connectors'], ({ connectors }) => repeats(connectors, ({ id }) => id, ['connectors'], 'id')),

  rule(
    ['connectors', 'workspaces'],
    ({ connectors, workspaces }) => {
      const known = withBuiltInWorkspace(workspaces).map(({ id }) => id);
      return connectors.flatMap(({ workspace }, index) => {
        if (known.includes(workspace)) return [];
        return [{ path: ['connectors', index, 'workspace'], message: 'names no configured workspace' }];
      });
    },
    ['workspaces'],
  ),

  rule(
    ['connectors', 'upstreams'],
    ({ connectors, upstreams }) => {
      const routes = configuredRoutes(upstreams);
      return connectors.flatMap(({ route }, index) => {
        if (route === undefined || routes.includes(route)) return [];
        return [{ path: ['connectors', index, 'route'], message: 'names no configured route' }];
      });
    },
    ['upstreams.a2a', 'upstreams.acp', 'upstreams.mcp'],
  ),

  rule(['vaults'], ({ vaults }) => repeats(vaults, ({ id }) => id, ['vaults'], 'id')),

  rule(
    ['vaults', 'tenants', 'workspaces'],
    ({ vaults, tenants, workspaces }) => {
      const owners = new Map(withBuiltInWorkspace(workspaces).map(({ id, tenant }) => [id, tenant]));
      return vaults.flatMap(({ workspace, tenant }, index) => {
        const path = ['vaults', index, 'workspace'];
        const isKnown = workspace === undefined || owners.has(workspace);
        if (!isKnown) return [{ path, message: 'names no configured workspace' }];
        if (workspace !== undefined && owners.get(workspace) !== tenant)
          return [{ path, message: 'is a workspace of another tenant; name that in tenant' }];
        return unknownTenant(tenant, tenants, ['vaults', index, 'tenant']);
      });
    },
    ['tenants', 'workspaces'],
  ),

  rule(['policy'], ({ policy }) =>
    repeats(policy.approvals, ({ workspace }) => workspace, ['policy', 'approvals'], 'workspace'),
  ),

  rule(
    ['policy', 'workspaces'],
    ({ policy, workspaces }) => {
      const known = withBuiltInWorkspace(workspaces).map(({ id }) => id);
      return policy.approvals.flatMap(({ workspace }, index) => {
        if (known.includes(workspace)) return [];
        const path = ['policy', 'approvals', index, 'workspace'];
        return [{ path, message: 'names no configured workspace' }];
      });
    },
    ['workspaces'],
  ),

  rule(['policy'], ({ policy }) => {
    const seen = new Set<string>();
    return policy.approvals.flatMap(({ webhooks }, row) =>
      webhooks.flatMap(({ id }, index) => {
        const isRepeat = seen.has(id);
        seen.add(id);
        if (!isRepeat) return [];
        const path = ['policy', 'approvals', row, 'webhooks', index, 'id'];
        return [{ path, message: 'repeats the id of an earlier webhook' }];
      }),
    );
  }),

  rule(['resilience'], ({ resilience }) =>
    repeats(resilience, ({ agent }) => agent, ['resilience'], 'agent'),
  ),

  rule(
    ['resilience', 'upstreams'],
    ({ resilience, upstreams }) => {
      const routes = configuredRoutes(upstreams);
      return resilience.flatMap(({ agent, fallback }, index) => {
        const path = ['resilience', index, 'fallback'];
        if (!routes.includes(agent))
          return [{ path: ['resilience', index, 'agent'], message: 'names no configured agent' }];
        if (fallback === undefined) return [];
        if (!routes.includes(fallback)) return [{ path, message: 'names no configured agent' }];
        if (fallback === agent) return [{ path, message: 'is the agent itself' }];
        return isAgentRoute(agent) && isAgentRoute(fallback)
          ? []
          : [{ path, message: 'is for agents; a tool of another server is another tool' }];
      });
    },
    ['upstreams.a2a', 'upstreams.acp', 'upstreams.mcp'],
  ),

  rule(['quotas'], ({ quotas }) => repeats(quotas, ({ id }) => id, ['quotas'], 'id')),

  rule(
    ['quotas', 'tenants', 'workspaces'],
    ({ quotas, tenants, workspaces }) => {
      const known = {
        workspace: withBuiltInWorkspace(workspaces).map(({ id }) => id),
        tenant: withBuiltInTenant(tenants).map(({ id }) => id),
      };
      return quotas.flatMap(({ scope, owner = '' }, index) => {
        if ((scope !== 'workspace' && scope !== 'tenant') || known[scope].includes(owner)) return [];
        return [{ path: ['quotas', index, 'owner'], message: `names no configured ${scope}` }];
      });
    },
    ['tenants', 'workspaces'],
  ),

  rule(
    ['tenants', 'workspaces'],
    ({ tenants, workspaces }) =>
      workspaces.flatMap(({ tenant }, index) =>
        unknownTenant(tenant, tenants, ['workspaces', index, 'tenant']),
      ),
    ['tenants'],
  ),

  rule(
    ['tenants', 'auth'],
    ({ tenants, auth }) =>
      auth.api_keys.flatMap(({ tenant }, index) =>
        unknownTenant(tenant, tenants, ['auth', 'api_keys', index, 'tenant']),
      ),
    ['tenants'],
  ),

  rule(
    ['tenants', 'auth'],
    ({ tenants, auth }) =>
      auth.oauth.flatMap(({ tenant }, index) =>
        unknownTenant(tenant, tenants, ['auth', 'oauth', index, 'tenant']),
      ),
    ['tenants'],
  ),

  rule(
    ['workspaces', 'auth'],
    ({ workspaces, auth }) => {
      const owners = new Map(withBuiltInWorkspace(workspaces).map(({ id, tenant }) => [id, tenant]));
      return [
        ...foreignWorkspaces(auth.api_keys, owners, ['auth', 'api_keys']),
        ...foreignWorkspaces(auth.oauth, owners, ['auth', 'oauth']),
      ];
    },
    ['workspaces'],
  ),

  rule(
    ['routing', 'upstreams'],
    ({ routing, upstreams }) => {
      const routes = configuredRoutes(upstreams);
      if (routing.default === undefined || routes.includes(routing.default)) return [];
      const known = routes.length === 0 ? 'none is configured' : `configured: ${routes.join(', ')}`;
      return [{ path: ['routing', 'default'], message: `names no configured route; ${known}` }];
    },
    ['upstreams.a2a', 'upstreams.acp', 'upstreams.mcp'],
  ),

  rule(
    ['limits'],
    ({ limits }) => {
      if (limits.headers_timeout_ms <= limits.request_timeout_ms) return [];
      return [
        {
          path: ['limits', 'headers_timeout_ms'],
          message: 'must not be longer than limits.request_timeout_ms',
        },
      ];
    },
    ['limits.headers_timeout_ms', 'limits.request_timeout_ms'],
  ),
] as const;

/** The configured tenants and the built-in one. */
export function withBuiltInTenant(tenants: readonly TenantSettings[]): TenantSettings[] {
  return tenants.some(({ id }) => id === DEFAULT_TENANT)
    ? [...tenants]
    : [{ id: DEFAULT_TENANT }, ...tenants];
}

/** The configured workspaces and the built-in one. */
export function withBuiltInWorkspace(workspaces: readonly WorkspaceSettings[]): WorkspaceSettings[] {
  const builtIn = { id: DEFAULT_WORKSPACE, tenant: DEFAULT_TENANT };
  return workspaces.some(({ id }) => id === DEFAULT_WORKSPACE) ? [...workspaces] : [builtIn, ...workspaces];
}

/** Workspaces that do not exist, or are not of the same tenant as who is given them. */
function foreignWorkspaces(
  rows: readonly { tenant: string; workspaces: readonly string[] }[],
  owners: ReadonlyMap<string, string>,
  list: readonly string[],
): PathFault[] {
  return rows.flatMap((row, rowIndex) =>
    row.workspaces.flatMap((id, index) => {
      if (owners.get(id) === row.tenant) return [];
      const message = owners.has(id) ? 'is a workspace of another tenant' : 'names no configured workspace';
      return [{ path: [...list, rowIndex, 'workspaces', index], message }];
    }),
  );
}

function unknownTenant(
  tenant: string,
  tenants: readonly TenantSettings[],
  path: PathFault['path'],
): PathFault[] {
  const isKnown = withBuiltInTenant(tenants).some(({ id }) => id === tenant);
  return isKnown ? [] : [{ path, message: 'names no configured tenant' }];
}

function repeats<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  list: readonly string[],
  name: string,
): PathFault[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const isRepeat = seen.has(keyOf(item));
    seen.add(keyOf(item));
    return isRepeat
      ? [{ path: [...list, index, name], message: `repeats the ${name} of an earlier entry` }]
      : [];
  });
}
