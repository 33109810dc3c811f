import { z } from 'zod';
import { MEMORY_SCOPES, memoryDescription } from './schema.ts';

/** Payloads of what becomes of Memories. */
export const MEMORY_EVENTS = {
  /** The run was given a Memory of its Session; what it said is in the material. */
  'agent.memory_read': z.object({
    memory_id: z.string(),
    scope: z.enum(MEMORY_SCOPES),
    content_sha256: z.string(),
    material: z.string(),
  }),
  /** The content is not in the event: it can be forgotten, the event stays. */
  'vendor.harn_gateway.memory_created': z.object({
    memory: memoryDescription,
    tenant: z.string(),
    session_id: z.string().nullable(),
    /** The artifact that holds the content when it was large. */
    artifact_id: z.string().nullable(),
    /** What the content is as JSON: what it is stored under. */
    content: z.object({ sha256: z.string(), size: z.int().min(1) }).optional(),
  }),
  'vendor.harn_gateway.memory_deleted': z.object({
    memory_id: z.string(),
    reason: z.enum(['deleted', 'expired', 'erased']),
  }),
} as const;
