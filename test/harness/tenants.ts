/** A second tenant with a workspace and a key of its own, to prove what stays hidden from it. */
export const OTHER_TENANT = {
  tenant: 'tenant_other',
  workspace: 'workspace_other',
  key: { actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_other'] },
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_other', tenant: 'tenant_other' }],
  },
};
