import { CONNECTOR, OUTBOUND, QUOTA, SEEN_BY } from './access-world.ts';

/** Callers who may do everything, elsewhere. */
export const STRANGERS = [
  { actor: 'foreign_tenant', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
  { actor: 'third_workspace', workspaces: ['workspace_b', 'workspace_c'] },
  { actor: 'foreign_workspace', workspaces: ['workspace_b'] },
] as const;

export const strangerKeys = () => STRANGERS.map((row) => ({ ...row, workspaces: [...row.workspaces] }));

/** A gateway with a connector whose secret is in `file`, and with the tenants and workspaces of the strangers. */
export const worldConfig = (file: string) => ({
  tenants: [{ id: 'tenant_other' }],
  outbound: OUTBOUND,
  quotas: [QUOTA],
  connectors: [{ id: CONNECTOR, provider: 'shop', auth: { type: 'hmac-sha256', secret: { file } } }],
  workspaces: [
    { id: 'workspace_foreign', tenant: 'tenant_other' },
    { id: 'workspace_b' },
    { id: 'workspace_c' },
  ],
});

/** What of the world the actor may see by right; the agents of the gateway are everybody's. */
export function isSeen(actor: string, kind: string): boolean {
  const like = actor === 'third_workspace' ? 'foreign_workspace' : actor;
  return SEEN_BY[kind]?.includes(like) ?? false;
}

/** An answer without what is new in each. */
export const withoutRequestId = (text: string): string =>
  text.replace(/"request_id":\s*"[^"]*"/g, '').replace(/"id":"req[^"]*"/g, '');
