import { listOf } from '../resources/envelope.ts';
import { createWorkspaceRequest, updateWorkspaceRequest, workspace } from '../resources/workspace.ts';
import { type OperationRow, page } from './row.ts';

export const workspacesOperations = {
  listWorkspaces: {
    kind: 'query',
    method: 'GET',
    path: '/v1/workspaces',
    tag: 'Workspaces',
    summary: 'List the Workspaces visible to the caller.',
    scope: 'workspaces:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(workspace),
  },
  createWorkspace: {
    kind: 'command',
    method: 'POST',
    path: '/v1/workspaces',
    tag: 'Workspaces',
    summary: 'Create a Workspace.',
    scope: 'workspaces:write',
    level: 'extended',
    success: 201,
    body: createWorkspaceRequest,
    response: workspace,
  },
  getWorkspace: {
    kind: 'query',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Read a Workspace.',
    scope: 'workspaces:read',
    level: 'extended',
    success: 200,
    response: workspace,
  },
  updateWorkspace: {
    kind: 'command',
    method: 'PATCH',
    path: '/v1/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Update name, capabilities, quota or metadata of a Workspace.',
    scope: 'workspaces:write',
    level: 'extended',
    success: 200,
    body: updateWorkspaceRequest,
    response: workspace,
  },
} as const satisfies Record<string, OperationRow>;
