import { z } from 'zod';
import { backupSecrets } from './schema.ts';

export const BACKUP_EVENTS = {
  /** Everything is about to be handed to who asked for it. */
  'vendor.harn_gateway.backup_begun': z.object({
    /** The commit behind which it begins; null for a full one. */
    since_commit: z.int().nullable(),
    include: z.array(backupSecrets),
    /** Thumbprint (RFC 7638) of the key to which secrets are encrypted. */
    recipient: z.string().nullable(),
  }),
} as const;
