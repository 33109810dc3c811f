import { z } from 'zod';

/** What is known of an agent whose Task the gateway canceled without a word of the agent that it is over, as a person reads it. */
export const CANCEL_TOLD = {
  not_reached: 'The agent was not reached and may go on.',
  unanswered: 'The agent did not answer the cancel in time and may go on.',
  refused: 'The agent was reached, did not cancel, and may go on.',
} as const;

const AGENTS = Object.keys(CANCEL_TOLD) as [keyof typeof CANCEL_TOLD, ...(keyof typeof CANCEL_TOLD)[]];

/** `because`: why it was not reached; null where nothing is known of it. */
export const cancelTold = z.object({ agent: z.enum(AGENTS), because: z.string().nullable() });
export type CancelTold = z.infer<typeof cancelTold>;
