import type { StateReader } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { SessionFold, TaskState, WorkspaceState } from '../projections/states.ts';
import type { RunRecord } from '../receipts/receipt-draft.ts';

/** What a receipt calls the run by; of an imported one, by the names it had where it ran. */
export function identifiersOf(
  tx: StateReader,
  { resource, internal }: TaskState,
  personaRef: string | null,
): RunRecord['identifiers'] {
  const { session_id, workspace_id, branch_id, id } = resource;
  const workspace = tx.get<WorkspaceState>(stateKey.workspace(workspace_id))?.resource;
  const { imported } = tx.get<SessionFold>(stateKey.session(session_id))?.internal ?? {};
  return {
    tenantId: imported ? imported.tenant_id : (workspace?.tenant_id ?? null),
    personaRef,
    workspaceId: imported?.workspace_id ?? workspace_id,
    sessionId: session_id,
    taskId: id,
    // An empty id, which older versions took, names no branch.
    branchId: branch_id || null,
    traceId: internal.trace_id,
  };
}
