import { z } from 'zod';
import { artifact } from './artifact.ts';
import { envelope, jsonObject } from './envelope.ts';
import { message } from './message.ts';
import { failure } from './task.ts';

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
