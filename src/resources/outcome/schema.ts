import { z } from 'zod';
import { envelope, jsonObject } from '#protocol/envelope.ts';
import { artifact } from '#resources/artifact/schema.ts';
import { message } from '#resources/message/schema.ts';
import { failure } from '#resources/task/schema.ts';

/** Source: Agents Protocol v1, "Outcome". */
export const outcome = envelope('outcome', {
  workspace_id: z.string(),
  session_id: z.string(),
  task_id: z.string(),
  status: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED']),
  summary: z.string(),
  messages: z.array(message),
  artifacts: z.array(artifact),
  handoffs: z.array(jsonObject),
  receipt_id: z.string().nullable(),
  failure: failure.nullable(),
  cost: jsonObject,
  metrics: jsonObject,
}).meta({ id: 'Outcome' });
export type Outcome = z.infer<typeof outcome>;
