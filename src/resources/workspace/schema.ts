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
