import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { part, visibility } from './schema.ts';

/** Payloads of what an agent says besides its messages, artifacts and tool calls. */
export const AGENT_WORDS = {
  'agent.reasoning_summary': z.object({ parts: z.array(part), material: z.string() }),
  /** A live word of an agent that has no resource of its own, in the words of its protocol. */
  'vendor.harn_gateway.agent_update': z.object({
    protocol: z.string(),
    kind: z.string(),
    about: z.enum(['turn', 'session']),
    update: z.object({ type: z.literal('agent_update'), visibility, body: jsonObject }),
    material: z.string(),
    /** It came while no turn ran. Its task is the one that ended last. */
    between_turns: z.literal(true).optional(),
  }),
} as const;
