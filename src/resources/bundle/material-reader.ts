import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import type { SessionFold } from '#resources/session/state.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { originalWorkspace } from './fold-imported.ts';

/** Who reads what is exported, and from where. */
export class MaterialReader {
  readonly log: EventLog;
  readonly states: StateReader;
  readonly seesInternal: boolean;

  constructor(log: EventLog, seesInternal: boolean) {
    this.log = log;
    this.states = { get: log.state.bind(log) };
    this.seesInternal = seesInternal;
  }

  /** The Workspace the Session was recorded in, here or elsewhere. */
  originalWorkspace({ internal, resource }: SessionFold): string {
    return originalWorkspace(internal) ?? resource.workspace_id;
  }

  originalTenant({ internal, resource }: SessionFold): string | null {
    if (internal.imported) return internal.imported.tenant_id;
    return (
      this.log.state<WorkspaceState>(workspaceKeys.workspace(resource.workspace_id))?.resource.tenant_id ??
      null
    );
  }
}
