import type { Command, Decided, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { Workspace } from '#resources/workspace/schema.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { exportBundle, validateBundle } from './queries.ts';
import type { Restored } from './restore-session.ts';
import type { BundleImport } from './schema.ts';

/** The history is written first, in many commits that nobody can see; the one of `conclude` makes it visible as a whole. */
const importBundle: Command<'importBundle'> = {
  // One at a time: others want to write too.
  mutexKey: () => 'bundle_import',
  decide({ body, query }, _tx, { caller }) {
    const allowSecretMarkers = query.allow_unsafe_secret_markers === 'true';
    const origin = { actor: caller.actor };
    return {
      effect: { kind: 'restore_session', request: { source: body.spooled, allowSecretMarkers, origin } },
    };
  },
  conclude(_input, tx, facts, { restored }) {
    if (restored === undefined) throw new Error('a bundle is restored before its event is appended');
    const { workspaceId } = restored;
    const isVisible = tx.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId)) !== undefined;
    if (!isVisible) makeVisible(restored, tx, facts);
    // Whoever is no member of it learns no more of what somebody else imported.
    loadWorkspace(tx, facts.caller, workspaceId);
    return answer(restored, tx);
  },
};

function makeVisible(
  { sessionId, workspaceId, summary }: Restored,
  tx: Transaction,
  { by, redact }: Facts,
): void {
  const workspace: Workspace = {
    id: workspaceId,
    object: 'workspace',
    created_at: tx.time,
    updated_at: tx.time,
    metadata: { imported: { bundle_id: summary.bundle_id, session_id: sessionId } },
    name: `Import of ${sessionId}`,
    root: `harn://${workspaceId}`,
    default_branch_id: null,
    host: null,
    repository: null,
    tenant_id: by.tenant,
    capabilities: [],
    connectors: [],
    quota_id: null,
  };
  const made = redact({ workspace, members: [by.actor] }).value;
  const imported = redact({ workspaceId, sessionId, summary }).value;
  const place = { workspace_id: imported.workspaceId };
  tx.append(
    newEvent(
      'vendor.harn_gateway.workspace_created',
      { object: 'workspace', id: made.workspace.id },
      place,
      made,
    ),
  );
  const inSession = { ...place, session_id: imported.sessionId };
  const resource = { object: 'session', id: imported.sessionId };
  tx.append(newEvent('vendor.harn_gateway.session_imported', resource, inSession, imported.summary));
}

function answer({ sessionId, workspaceId, tasks, isNew, summary }: Restored, tx: Transaction): Decided {
  const body: BundleImport = {
    object: 'bundle_import',
    bundle_id: summary.bundle_id,
    mode: summary.mode,
    session_id: sessionId,
    workspace_id: workspaceId,
    created: isNew,
    events: summary.events,
    tasks: tasks.flatMap((id) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(id))?.resource;
      return task === undefined ? [] : [{ id, status: task.status }];
    }),
  };
  return { body };
}

export const handlers = {
  importBundle,
  exportBundle,
  validateBundle,
} satisfies Partial<Handlers>;
