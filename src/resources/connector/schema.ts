import { z } from 'zod';
import { envelope, jsonObject, time } from '#protocol/envelope.ts';

const CONNECTOR_STATES = ['ACTIVE', 'PAUSED', 'FAILED', 'DISABLED'] as const;

/** What a Connector emits. */
export const CONNECTOR_EVENTS = [
  'connector.delivery_received',
  'connector.delivery_deduped',
  'connector.normalized',
  'connector.task_submitted',
  'connector.failed',
] as const;

/**
 * Source: Agents Protocol v1, "Connector". Configured, not stored; `auth` says how, never with which secret. One that would have
 * to be polled is DISABLED: it is described, and this version asks nobody.
 */
export const connector = envelope('connector', {
  provider: z.string(),
  workspace_id: z.string(),
  status: z.enum(CONNECTOR_STATES),
  event_kinds: z.array(z.string()),
  dedupe_policy: jsonObject,
  auth: jsonObject,
  webhook: jsonObject,
  polling: jsonObject,
  target_persona_id: z.string().nullable(),
  target_session_id: z.string().nullable(),
}).meta({ id: 'Connector' });
export type Connector = z.infer<typeof connector>;

/** What became of one delivery; the same for every repetition of it. Vendor shape. */
export const connectorDelivery = z
  .object({
    id: z.string(),
    object: z.literal('connector_delivery'),
    created_at: time,
    connector_id: z.string(),
    workspace_id: z.string(),
    /** The provider's id of it; null where the connector has no dedupe policy. */
    dedupe_key: z.string().nullable(),
    session_id: z.string(),
    task_id: z.string().nullable(),
    message_id: z.string().nullable(),
  })
  .meta({ id: 'ConnectorDelivery' });
export type ConnectorDelivery = z.infer<typeof connectorDelivery>;

export interface DeliveryAuth {
  type: 'hmac-sha256';
  header: string;
  signed: 'timestamp_body' | 'body';
  tolerance_seconds: number;
}

/** A connector as the operator configured it, without its secret. */
export interface ConnectorRow {
  id: string;
  provider: string;
  workspace: string;
  tenant: string;
  /** How its deliveries are signed; undefined for one that would have to be polled. */
  auth?: DeliveryAuth | undefined;
  /** Described, never run. */
  polling?: { url: string; interval_seconds: number } | undefined;
  dedupe?: { header: string } | { path: string } | undefined;
  deliver_as: 'task' | 'message';
  target_session?: string | undefined;
  target_persona?: string | undefined;
  route?: string | undefined;
}
