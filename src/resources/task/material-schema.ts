import { z } from 'zod';
import { sha256 } from '#resources/receipt/parts-schema.ts';

/** One recorded frame of a Task. `id` is its override key; the receipt of the Task names it, or the hash of all of them. */
export const taskMaterial = z
  .object({
    object: z.literal('task_material'),
    id: z.string().describe('Override key, for POST /v1/tasks/{task_id}/replay.'),
    n: z.int().min(1).describe('Place in the run, from 1 on.'),
    kind: z.enum(['llm_provider_response', 'mcp_tool_return', 'host_fact']),
    sha256: sha256.describe('Of the RFC 8785 bytes of the frame.'),
    proof_hash: sha256
      .optional()
      .describe('Commitment to the frame as it came, where secrets were replaced before it was recorded.'),
  })
  .meta({ id: 'TaskMaterial' });
export type TaskMaterial = z.infer<typeof taskMaterial>;
