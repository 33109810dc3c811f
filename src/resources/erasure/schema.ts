import { z } from 'zod';
import { envelope, givenId, pointer, time } from '#protocol/envelope.ts';

const words = z.string().min(1).max(2_000);
const count = z.int().min(0);

/** A receipt that went, with what proves that it was there: the leaf at this place of the receipt log has this hash. */
export const erasedReceipt = z.object({
  receipt_id: z.string(),
  task_id: z.string(),
  receipt_hash: z.string(),
  log_index: count,
  chain: z
    .object({ index: count, previous_id: z.string().nullable() })
    .optional()
    .describe('Its place in the chain of its Session, and the receipt before it; absent for a replay.'),
});
export type ErasedReceipt = z.infer<typeof erasedReceipt>;

/** The payload of every event that an erasure took the words of, whatever its kind. */
export const erasedPayload = z
  .strictObject({ erased: z.strictObject({ erasure_id: z.string(), erased_at: time }) })
  .meta({ id: 'ErasedPayload' });
export type ErasedPayload = z.infer<typeof erasedPayload>;

/** What went, in numbers. */
export const erasedCounts = z.object({
  events: count.describe('Events that lost what they said. Their ids, kinds, order and links stay.'),
  tasks: count,
  messages: count,
  artifacts: count,
  receipts: count,
  memories: count,
  answers: count.describe('Answers kept under Idempotency-Keys.'),
});
export type ErasedCounts = z.infer<typeof erasedCounts>;

export const heldSession = z.object({ session_id: z.string(), hold_id: z.string() });

/** What was removed, by whom and under which rule. A resource of this gateway, which the Agents Protocol does not name. */
export const erasure = envelope('erasure', {
  workspace_id: z.string(),
  subject: pointer.describe('The Session that was erased, or the actor whose data was, by its name.'),
  rule: z.string().describe('Under which rule, such as an article of a law.'),
  reason: z.string().nullable(),
  requested_by: z.string().describe('Actor who asked for it.'),
  state: z.enum(['erasing', 'completed']),
  completed_at: time.nullable(),
  removed: erasedCounts,
  receipts: z.array(erasedReceipt).describe('Proof of what was there.'),
  forks: z
    .array(z.string())
    .describe(
      'Sessions that were forked from it: what they had copied is gone, what was said in them stays.',
    ),
  of_actor: z
    .object({
      sessions: z.array(z.string()).describe('Sessions of nobody else, which went whole.'),
      shared: z.array(z.string()).describe('Sessions that lost what the actor said in them, and stay.'),
      held: z.array(heldSession).describe('Sessions that a hold keeps: nothing of them went.'),
      unreplayable: z
        .array(z.string())
        .describe('Tasks of others that lost their replay material, which may repeat what the actor said.'),
    })
    .optional()
    .describe('Of the erasure of an actor.'),
}).meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasure>;

export const createErasureRequest = z
  .object({
    session_id: givenId.optional().describe('The Session to erase; it is closed first.'),
    actor: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('The actor whose data is erased, as Events name it. Name it or a Session.'),
    workspace_id: givenId
      .optional()
      .describe('The Workspace in which the data of an actor is erased. Default: the first of the caller.'),
    rule: z.string().min(1).max(200).describe('Under which rule, such as an article of a law.'),
    reason: words.optional(),
  })
  .refine(({ session_id, actor }) => (session_id === undefined) !== (actor === undefined), {
    error: 'name either session_id or actor',
    path: ['session_id'],
  })
  .refine(({ session_id, workspace_id }) => session_id === undefined || workspace_id === undefined, {
    error: 'a Session has its Workspace; workspace_id goes with actor',
    path: ['workspace_id'],
  })
  .meta({ id: 'CreateErasureRequest' });
