import { z } from 'zod';
import { sha256 } from '#resources/receipt/parts-schema.ts';

/** Payloads of events about trust records. */
export const TRUST_EVENTS = {
  /** Written in the commit of the event that it proves. */
  'vendor.harn_gateway.trust_recorded': z.object({
    record_id: z.string(),
    /** Name of the chain: `workspace:<id>` or `tenant:<id>`. */
    topic: z.string(),
    chain_index: z.int().min(1),
    previous_hash: sha256.nullable(),
    entry_hash: sha256,
    /** The event that it proves. */
    event_id: z.string(),
  }),
} as const;
