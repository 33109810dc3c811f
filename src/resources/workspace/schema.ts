import { z } from 'zod';
import { envelope, givenId, jsonObject, metadata } from '#protocol/envelope.ts';

/** Source: Agents Protocol v1, "Workspace". */
export const workspace = envelope('workspace', {
  name: z.string(),
  root: z.string(),
  default_branch_id: z.string().nullable(),
  host: z.string().nullable(),
  repository: z.string().nullable(),
  tenant_id: z.string().nullable(),
  capabilities: z.array(z.string()),
  connectors: z.array(z.string()),
  quota_id: z.string().nullable(),
}).meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof workspace>;

export const createWorkspaceRequest = z
  .object({
    name: z.string().min(1).max(200),
    root: z.string().min(1).max(2048),
    image: z.string().nullable().optional(),
    packages: z.array(z.string()).optional(),
    network_policy: jsonObject.optional(),
    sandbox_backend: z.string().nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateWorkspaceRequest' });
export type CreateWorkspaceRequest = z.infer<typeof createWorkspaceRequest>;

export const updateWorkspaceRequest = z
  .object({
    name: z.string().min(1).max(200).optional(),
    capabilities: z.array(z.string()).optional(),
    quota_id: givenId.nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'UpdateWorkspaceRequest' });
export type UpdateWorkspaceRequest = z.infer<typeof updateWorkspaceRequest>;

/** Longest path, in characters; the file system bounds each name. */
const MAX_PATH_CHARS = 4_096;

/** A path below the root of the workspace, with `/` between names. */
export const filePath = z.string().max(MAX_PATH_CHARS);

const workspaceFileEntry = z
  .object({
    name: z.string(),
    path: z.string(),
    kind: z.enum(['file', 'directory']),
    size: z.int().min(0),
  })
  .meta({ id: 'WorkspaceFileEntry' });

/** Source: OpenAPI, `WorkspaceFileListing`; sorted by name. `truncated` is an addition: more entries exist. */
export const workspaceFileListing = z
  .object({
    object: z.literal('file_listing'),
    workspace_id: z.string(),
    path: z.string(),
    entries: z.array(workspaceFileEntry),
    truncated: z.boolean(),
  })
  .meta({ id: 'WorkspaceFileListing' });

/** Source: OpenAPI, `WorkspaceFile`; `content` is left out where it was just sent. `sha256` is an addition, bare hex. */
export const workspaceFile = z
  .object({
    object: z.literal('file'),
    workspace_id: z.string(),
    path: z.string(),
    encoding: z.literal('utf-8'),
    content: z.string().optional(),
    bytes: z.int().min(0),
    sha256: z.string(),
  })
  .meta({ id: 'WorkspaceFile' });

/** The path of the body goes before that of the query. Source: OpenAPI, `WriteWorkspaceFileRequest`. */
export const writeWorkspaceFileRequest = z
  .object({ path: filePath.optional(), content: z.string(), metadata: metadata.optional() })
  .meta({ id: 'WriteWorkspaceFileRequest' });
