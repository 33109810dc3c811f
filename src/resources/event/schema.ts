import { z } from 'zod';
import { envelope, jsonObject, pointer } from '#protocol/envelope.ts';
import { replayEventMetadata } from '#resources/replay/schema.ts';

/** Source: Agents Protocol v1, "Event"; an event never changes, so `updated_at` equals `created_at`. */
export const event = envelope('event', {
  event: z.string(),
  resource: pointer,
  sequence: z.int().min(0),
  payload: jsonObject,
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  workspace_id: z.string().nullable(),
  actor: z.string().nullable(),
  previous_event_id: z.string().nullable(),
  /** The receipt that proves it, where one was issued for it. */
  receipt_id: z.string().nullable().optional(),
  /** True for an event that a replay made of a recorded one. */
  replayed: z.boolean().optional(),
  replay: replayEventMetadata.optional(),
}).meta({ id: 'Event' });
