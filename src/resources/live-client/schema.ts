import { z } from 'zod';
import { metadata, time } from '#protocol/envelope.ts';

/** Clients of a Session at a time, and bytes of what each says of itself, as JSON. */
export const LIVE_CLIENT_LIMITS = { clients: 64, metadataBytes: 2_048 } as const;

export const CLIENT_MODES = ['observer', 'controller'] as const;

/** Source: Agents Protocol v1 (2026-10-11), "LiveSessionClient". */
export const liveSessionClient = z
  .object({
    client_id: z.string(),
    mode: z.enum(CLIENT_MODES),
    attached_at: time,
    /** Of the newest attach or heartbeat; heartbeats are in memory only. */
    last_seen_at: time,
    prompt_injection: z.boolean(),
    permission_routing: z.boolean(),
    metadata,
  })
  .meta({ id: 'LiveSessionClient' });
export type LiveSessionClient = z.infer<typeof liveSessionClient>;

export const liveSessionClientList = z
  .object({ object: z.literal('list'), data: z.array(liveSessionClient) })
  .meta({ id: 'LiveSessionClientList' });

/** What it became, and who is there now, by `client_id`. */
export const liveSessionClientChange = z
  .object({
    client: liveSessionClient.nullable(),
    previous_controller_id: z.string().nullable(),
    active_controller_id: z.string().nullable(),
    clients: z.array(liveSessionClient),
  })
  .meta({ id: 'LiveSessionClientChange' });
export type LiveSessionClientChange = z.infer<typeof liveSessionClientChange>;

const clientId = z.string().trim().min(1).max(200);

export const attachSessionClientRequest = z
  .strictObject({
    client_id: clientId,
    mode: z.enum(CLIENT_MODES).default('observer'),
    /** Whether another controller gives way. */
    takeover: z.boolean().default(false),
    /** Default: true for a controller. */
    prompt_injection: z.boolean().optional(),
    permission_routing: z.boolean().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'AttachSessionClientRequest' });

export const sessionClientRequest = z
  .strictObject({
    client_id: clientId,
    reason: z.string().max(2_000).nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'SessionClientRequest' });
