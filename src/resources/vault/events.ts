import { z } from 'zod';
import { vault } from './schema.ts';

/** Payloads of what becomes of Vaults. */
export const VAULT_EVENTS = {
  'vendor.harn_gateway.vault_created': z.object({ vault, tenant: z.string() }),
  'vendor.harn_gateway.vault_configured': z.object({ vault, tenant: z.string() }),
} as const;
