import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SessionFold, WorkspaceState } from '#resources/states.ts';
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
      this.log.state<WorkspaceState>(stateKey.workspace(resource.workspace_id))?.resource.tenant_id ?? null
    );
  }
}
