import { z } from 'zod';
import { envelope, givenId, metadata } from '#protocol/envelope.ts';

const capabilities = z.array(z.string().min(1).max(200)).max(100);

/** Source: Agents Protocol v1, "Vault". A descriptor: it holds and resolves no secret; see README.md. */
export const vault = envelope('vault', {
  workspace_id: z.string().nullable(),
  provider: z.string(),
  capabilities: z.array(z.string()),
}).meta({ id: 'Vault' });
export type Vault = z.infer<typeof vault>;

export const createVaultRequest = z
  .object({
    workspace_id: givenId.nullable().optional(),
    provider: z.string().min(1).max(200),
    capabilities,
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateVaultRequest' });
