import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type WorkspaceState, workspaceKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.workspace_created': [foldWorkspaceCreated],
  'vendor.harn_gateway.workspace_updated': [foldWorkspaceUpdated],
};

function foldWorkspaceCreated(event: Event, states: StateWriter): void {
  const { workspace, members } = payload(event, 'vendor.harn_gateway.workspace_created');
  const tenant = workspace.tenant_id ?? '';
  const state: WorkspaceState = { resource: workspace, internal: { tenant, members } };
  states.set(workspaceKeys.workspace(workspace.id), state);
  states.index(workspaceKeys.workspaces(tenant) + workspace.id);
}

function foldWorkspaceUpdated(event: Event, states: StateWriter): void {
  const { changes } = payload(event, 'vendor.harn_gateway.workspace_updated');
  const key = workspaceKeys.workspace(event.resource.id);
  const state = states.get<WorkspaceState>(key);
  if (!state) return;
  states.set(key, { ...state, resource: { ...state.resource, ...changes, updated_at: event.created_at } });
}
