import { z } from 'zod';
import { envelope, metadata, time } from '#protocol/envelope.ts';
import { SCOPES } from '#protocol/scopes.ts';

/** Where keys come from: this API, or the configuration, whose keys are changed there. */
export const API_KEY_SOURCES = ['made', 'configured'] as const;

/** A key that callers use, without the key. A resource of this gateway, which the Agents Protocol does not name. */
export const apiKey = envelope('api_key', {
  name: z.string(),
  actor: z.string(),
  tenant_id: z.string(),
  scopes: z.array(z.string()),
  workspaces: z.array(z.string()),
  /** The key is refused from this time on; null: never. */
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  /** The key that replaces it, where it was rotated. */
  replaced_by: z.string().nullable(),
}).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKey>;

/** A key as it is shown once, when it is made; a repeated call does not show it again. */
export const issuedApiKey = apiKey
  .extend({ key: z.string().optional().describe('The key itself, shown this once.') })
  .meta({ id: 'IssuedApiKey' });

export const createApiKeyRequest = z
  .object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be 1 to 63 characters of a-z, 0-9, "_" and "-"'),
    actor: z.string().min(1).max(200),
    scopes: z.array(z.enum(SCOPES)).min(1),
    workspaces: z.array(z.string().min(1).max(128)).min(1),
    expires_at: time.nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateApiKeyRequest' });

export const rotateApiKeyRequest = z
  .object({
    overlap_seconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(86_400)
      .describe('How long the old key still works beside the new one.'),
  })
  .meta({ id: 'RotateApiKeyRequest' });
