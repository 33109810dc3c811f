import { type Command, metadataOf } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { holdsScope } from '#policy/scope.ts';
import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Workspace } from './schema.ts';

export const createWorkspace: Command<'createWorkspace'> = {
  decide({ body }, tx, facts) {
    refuseSharedRoot(body.root, facts);
    const { image, packages, network_policy, sandbox_backend } = body;
    const asked = Object.entries({ image, packages, network_policy, sandbox_backend });
    const kept = Object.fromEntries(
      asked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const workspace: Clean<Workspace> = {
      id: facts.newId('workspace'),
      object: 'workspace',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: { ...metadataOf(body), ...(Object.keys(kept).length > 0 ? { requested: kept } : {}) },
      name: body.name,
      root: body.root,
      default_branch_id: null,
      host: null,
      repository: null,
      tenant_id: facts.by.tenant,
      capabilities: [],
      connectors: [],
      quota_id: null,
    };
    const resource = { object: 'workspace', id: workspace.id };
    const members = [facts.by.actor];
    tx.append(
      newEvent(
        'vendor.harn_gateway.workspace_created',
        resource,
        { workspace_id: workspace.id },
        { workspace, members },
      ),
    );
    return { body: loadWorkspace(tx, facts.caller, workspace.id).resource };
  },
};

/** Configured directories have no tenant: whoever may put a workspace over one reads and writes all files in it. */
function refuseSharedRoot(root: string, { caller, isServedRoot }: Facts): void {
  if (holdsScope(caller, 'admin') || !isServedRoot(root)) return;
  throw new ProtocolError(
    'permission_denied',
    'The root lies under store.workspace_roots, whose files belong to no tenant: only the scope admin may open a workspace there. Use a harn:// root.',
    { param: 'root', details: { required_scope: 'admin' } },
  );
}
