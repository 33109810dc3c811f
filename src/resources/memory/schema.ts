import { z } from 'zod';
import { envelope, jsonObject, jsonValue, metadata, time } from '#protocol/envelope.ts';
import { artifactRefPart, visibility } from '#resources/message/schema.ts';

export const MEMORY_SCOPES = ['persona', 'session', 'workspace', 'tenant'] as const;

/** Kept and given back as they were sent; the gateway makes no embeddings, and redacts by its own policy. */
const optional = {
  /** 0 to 1. */
  confidence: z.number().min(0).max(1).nullable().optional(),
  embedding_ref: z.string().max(500).nullable().optional(),
  redaction_policy: jsonObject.optional(),
};

/** Source: Agents Protocol v1, "Memory". `workspace_id` is null for what belongs to a persona or a tenant. */
export const memory = envelope('memory', {
  scope: z.enum(MEMORY_SCOPES),
  owner_id: z.string(),
  workspace_id: z.string().nullable(),
  content: z.union([z.string(), artifactRefPart, jsonObject]),
  provenance: jsonObject,
  expires_at: time.nullable(),
  visibility,
  ...optional,
}).meta({ id: 'Memory' });
export type Memory = z.infer<typeof memory>;

/** A Memory without what it says; that is kept apart, so that deleting it leaves no trace of it. */
export const memoryDescription = memory.omit({ content: true });
export type MemoryDescription = z.infer<typeof memoryDescription>;

/** `metadata.expires_at` sets the expiry. Content that is a list, number, boolean or null is kept as `{value}`. */
export const createMemoryRequest = z
  .object({
    scope: z.enum(MEMORY_SCOPES),
    owner_id: z.string().min(1).max(200),
    content: jsonValue,
    provenance: jsonObject,
    /** Default public. */
    visibility: visibility.optional(),
    metadata: metadata.optional(),
    ...optional,
  })
  .meta({ id: 'CreateMemoryRequest' });
export type CreateMemoryRequest = z.infer<typeof createMemoryRequest>;
