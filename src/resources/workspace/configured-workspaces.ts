import { newEvent } from '#core/new-event.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, sentence } from '#protocol/clean.ts';
import type { Logger } from '#protocol/ports.ts';
import type { Workspace } from './schema.ts';
import { type CleanWorkspaceState, workspaceKeys } from './state.ts';

/** Creates the configured workspaces that do not exist yet. A damaged one exists; its requests are refused as such. */
export async function ensureWorkspaces(
  log: EventLog,
  rows: readonly WorkspaceRow[],
  logger: Logger,
): Promise<void> {
  const exists = (id: string) => log.state<CleanWorkspaceState>(workspaceKeys.workspace(id)) !== undefined;
  const report = (err: unknown) => logger.error({ err }, 'a workspace is damaged');
  const missing = rows.filter(({ id }) => !unlessDamaged(() => exists(id), true, report));
  if (missing.length === 0) return;
  await log.transact({ actor: null }, (tx) => {
    for (const row of missing) {
      const workspace = configured(row, tx.time);
      const resource = { object: 'workspace', id: row.id };
      const payload = { workspace, members: [] };
      tx.append(
        newEvent('vendor.harn_gateway.workspace_created', resource, { workspace_id: row.id }, payload),
      );
    }
  });
}

/** A workspace of the configuration. */
interface WorkspaceRow {
  id: CleanText;
  tenant: CleanText;
  name?: CleanText | undefined;
}

function configured(row: WorkspaceRow, time: CleanText): Clean<Workspace> {
  return {
    id: row.id,
    object: 'workspace',
    created_at: time,
    updated_at: time,
    metadata: {},
    name: row.name ?? row.id,
    root: sentence`harn://${row.id}`,
    default_branch_id: null,
    host: null,
    repository: null,
    tenant_id: row.tenant,
    capabilities: [],
    connectors: [],
    quota_id: null,
  };
}
