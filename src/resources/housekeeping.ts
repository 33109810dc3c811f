import type { DecisionTools } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, sentence, word } from '#protocol/clean.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import { type CleanMemoryState, memoryKeys } from '#resources/memory/state.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { lastSegment } from '#store/keys.ts';
import { forgetMemory } from './memory/content.ts';
import { denyRequest } from './permission/settle-request.ts';
import { closeSessionNow } from './session/close-session.ts';
import type { Workspace } from './workspace/schema.ts';

/** Expired things dealt with in one transaction: small, so that no request waits behind it. */
const BATCH = 200;

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

/** Closes sessions whose `expires_at` has passed. Returns how many. */
export async function closeExpiredSessions(
  log: EventLog,
  tools: DecisionTools,
  clock: Clock,
): Promise<number> {
  const prefix = sessionKeys.expiringSessions;
  const keys = await log.indexKeys({ gt: prefix, lt: `${prefix}${timestamp(clock.now())}`, limit: BATCH });
  for (const key of keys) {
    await log.transact({ actor: null }, (tx) => {
      const session = tx.get<CleanSessionFold>(sessionKeys.session(lastSegment(key)))?.resource;
      if (session) closeSessionNow(tx, tools, session, word('expired'));
    });
  }
  return keys.length;
}

/** Erases memories whose `expires_at` has passed; readers miss them already. Returns how many. */
export async function forgetExpiredMemories(log: EventLog, clock: Clock): Promise<number> {
  const prefix = memoryKeys.expiringMemories;
  const keys = await log.indexKeys({ gt: prefix, lt: `${prefix}${timestamp(clock.now())}`, limit: BATCH });
  if (keys.length === 0) return 0;
  await log.transact({ actor: null }, (tx) => {
    for (const key of keys) {
      const memory = tx.get<CleanMemoryState>(memoryKeys.memory(lastSegment(key)));
      if (memory) forgetMemory(tx, memory, 'expired');
    }
  });
  return keys.length;
}

/** Denies permission requests that nobody answered in time. Returns how many. */
export async function denyExpiredRequests(
  log: EventLog,
  tools: DecisionTools,
  clock: Clock,
): Promise<number> {
  const prefix = permissionKeys.expiringRequests;
  const keys = await log.indexKeys({ gt: prefix, lt: `${prefix}${timestamp(clock.now())}0`, limit: BATCH });
  for (const key of keys) {
    await log.transact({ actor: null }, (tx) => {
      const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(lastSegment(key)));
      if (request?.resource.status === 'pending') denyRequest(tx, tools, request, word('timeout'));
    });
  }
  return keys.length;
}
