import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { artifact } from './schema.ts';

/** Parts of a chunk as a follower sees them; bytes and oversized parts are described, not inlined. */
const chunk = {
  append: z.boolean(),
  chunk_index: z.int().min(0),
  last_chunk: z.boolean(),
  parts: z.array(jsonObject),
  /** Text only: whether the artifact still consists of text parts alone. */
  all_text: z.boolean(),
  /** Bytes of content so far. */
  size: z.int().min(0),
  /** Number of stored pieces after this event. */
  pieces: z.int().min(0),
  /** The agent called this chunk the last one; the event that closes the artifact follows, at the latest with the Task's end. */
  called_last: z.boolean().optional(),
  /** What the agent said of a later chunk. */
  metadata: jsonObject.optional(),
  material: z.string().optional(),
};

const closing = {
  sha256: z.string().optional(),
  mime_type: z.string().optional(),
};

/** Payloads of what becomes of Artifacts. */
export const ARTIFACT_EVENTS = {
  'artifact.created': z.object({
    artifact,
    upstream_artifact_id: z.string().nullable(),
    name: z.string().nullable(),
    store: z.enum(['none', 'parts', 'bytes']),
    ...chunk,
    ...closing,
    /** What an import brought: the id that it has in the bundle. */
    original_artifact_id: z.string().optional(),
  }),
  'artifact.updated': z.object({
    artifact_id: z.string(),
    store: z.enum(['parts', 'bytes']),
    ...chunk,
    ...closing,
    /** Of one that replaces what the agent said otherwise of itself: its name now; `metadata` is then all of it. */
    name: z.string().nullable().optional(),
  }),
  /** The content is gone for good; what the artifact was stays readable. */
  'artifact.redacted': z.object({ artifact_id: z.string(), reason: z.string() }),
} as const;
