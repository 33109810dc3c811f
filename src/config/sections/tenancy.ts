import { z } from 'zod';
import { operatorId } from '../shapes.ts';

/** Both exist from the first start, whether the configuration names them or not. See src/config/README.md, Defaults. */
export const DEFAULT_TENANT = 'tenant_default';
export const DEFAULT_WORKSPACE = 'workspace_default';
/** On loopback another name of the default workspace: the one that Harn's own examples use. */
export const LOCAL_WORKSPACE = 'workspace_local';

const tenant = z.strictObject({
  id: operatorId.describe('Id of the tenant.').meta({ examples: ['tenant_acme'] }),
});
export type TenantSettings = z.output<typeof tenant>;

const workspace = z.strictObject({
  id: operatorId.describe('Id of the workspace.').meta({ examples: ['workspace_shop'] }),
  tenant: operatorId.default(DEFAULT_TENANT).describe('Tenant that owns the workspace.'),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name shown to people. Unset: the id.')
    .meta({ examples: ['Shop'] }),
});
export type WorkspaceSettings = z.output<typeof workspace>;

export const tenants = z
  .array(tenant)
  .default([])
  .describe(`Tenants besides ${DEFAULT_TENANT}, which always exists.`);

export const workspaces = z
  .array(workspace)
  .default([])
  .describe(
    `Workspaces made at start besides ${DEFAULT_WORKSPACE}, which always exists; on loopback ${LOCAL_WORKSPACE} is another name of it.`,
  );
