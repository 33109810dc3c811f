import { z } from 'zod';

/** What is known of an agent whose Task the gateway canceled without a word of the agent that it is over, as a person reads it. */
export const CANCEL_REPORTS = {
  not_reached: 'The agent was not reached and may go on.',
  unanswered: 'The agent did not answer the cancel in time and may go on.',
  refused: 'The agent was reached, did not cancel, and may go on.',
} as const;

const AGENTS = Object.keys(CANCEL_REPORTS) as [
  keyof typeof CANCEL_REPORTS,
  ...(keyof typeof CANCEL_REPORTS)[],
];

/** `because`: why it was not reached; null where nothing is known of it. */
export const cancelReport = z.object({ agent: z.enum(AGENTS), because: z.string().nullable() });
export type CancelReport = z.infer<typeof cancelReport>;
