import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { workspace } from './schema.ts';

/** Payloads of what becomes of Workspaces. */
export const WORKSPACE_EVENTS = {
  'vendor.harn_gateway.workspace_created': z.object({ workspace, members: z.array(z.string()) }),
  'vendor.harn_gateway.workspace_updated': z.object({ changes: jsonObject }),
  /** The file is durable before its event; its content stays out of the log. */
  'vendor.harn_gateway.file_written': z.object({
    path: z.string(),
    bytes: z.int().min(0),
    sha256: z.string(),
    metadata: jsonObject,
  }),
} as const;
