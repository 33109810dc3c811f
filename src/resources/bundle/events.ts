import { z } from 'zod';
import { BUNDLE_MODES } from './session-bundle-schema.ts';

/** A Session was restored from a bundle; with this event all of it is there. */
const sessionImported = z.object({
  bundle_id: z.string(),
  mode: z.enum(BUNDLE_MODES),
  /** Of what was restored: the same bundle has the same. */
  digest: z.string(),
  events: z.int().min(1),
  /** Who issued its receipts. */
  issuer: z.string(),
  /** Key that signed the manifest of the bundle; null where it has none. */
  manifest_key_id: z.string().nullable(),
});
export type SessionImported = z.infer<typeof sessionImported>;

export const BUNDLE_EVENTS = { 'vendor.harn_gateway.session_imported': sessionImported } as const;
