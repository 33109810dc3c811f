import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { persona } from './schema.ts';

/** Counts the changes of one Persona, from 1; its `version` belongs to whoever wrote it. */
const revision = z.int().min(1);

/** Hash of the file it was last read from; null when no file says it. */
const file_hash = z.string().nullable();

/** Payloads of what becomes of Personas. */
export const PERSONA_EVENTS = {
  'vendor.harn_gateway.persona_created': z.object({ persona, tenant: z.string(), revision, file_hash }),
  'vendor.harn_gateway.persona_updated': z.object({ changes: jsonObject, revision, file_hash }),
} as const;
