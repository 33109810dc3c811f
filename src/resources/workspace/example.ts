import { resource, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** SHA-256 of `Call back.\n`. */
const FILE_SHA256 = '50578b20e901f9f51d73d40d4d83e49e9a2e8b83b7cf3836dd28ce4a9f6c2afa';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Workspace: resource('workspace', WORKSPACE, {
    name: 'Default',
    root: '/srv/shop',
    default_branch_id: null,
    host: null,
    repository: null,
    tenant_id: 'tenant_default',
    capabilities: [],
    connectors: [],
    quota_id: null,
  }),
  CreateWorkspaceRequest: { name: 'Shop', root: '/srv/shop' },
  UpdateWorkspaceRequest: { name: 'Shop, north' },
  WorkspaceFile: {
    object: 'file',
    workspace_id: WORKSPACE,
    path: 'notes/today.txt',
    encoding: 'utf-8',
    content: 'Call back.\n',
    bytes: 11,
    sha256: FILE_SHA256,
  },
  WriteWorkspaceFileRequest: { path: 'notes/today.txt', content: 'Call back.\n' },
} satisfies Examples;
