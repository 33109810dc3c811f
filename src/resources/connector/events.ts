import { z } from 'zod';

const delivery = {
  delivery_id: z.string(),
  dedupe_key: z.string().nullable(),
  /** Of the signed time and body, by which a replay is known; absent where no time is signed. */
  signed_sha256: z.string().optional(),
};

/** Payloads of what Connectors bring. */
export const CONNECTOR_EVENTS = {
  'connector.delivery_received': z.object({ ...delivery, size: z.int().min(0), mime_type: z.string() }),
  'connector.delivery_deduped': z.object(delivery),
  /** What the delivery became; `message_id` when it is only appended. */
  'connector.normalized': z.object({
    ...delivery,
    as: z.enum(['task', 'message']),
    session_id: z.string(),
    message_id: z.string().nullable(),
  }),
  'connector.task_submitted': z.object({ ...delivery, task_id: z.string() }),
  /** The delivery changed nothing; the provider may send it again. */
  'connector.failed': z.object({ code: z.string(), message: z.string(), param: z.string().nullable() }),
} as const;
