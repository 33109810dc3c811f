import { z } from 'zod';
import { duration, positive } from '../shapes.ts';

const breaker = z.strictObject({
  failures: positive
    .default(5)
    .describe('Failures in a row (no connection, no answer in time, HTTP 5xx) after which it opens.'),
  open_ms: duration
    .default(30_000)
    .describe('Time until one task is let through, to see whether the agent is back.'),
});

const retries = z.strictObject({
  share: z
    .number()
    .positive('must be more than 0')
    .max(1, 'must be 1 or less')
    .default(0.1)
    .describe('Retries as a share of the turns of the agent, in the long run.'),
  most: positive.max(10, 'must be 10 or less').default(2).describe('Retries of one turn.'),
  pause_ms: duration
    .default(250)
    .describe(
      'Wait before the first one, twice as long before each further one; Retry-After of the agent counts more.',
    ),
});

/** What is done about an agent or a tool server that fails. */
export const resilience = z
  .array(
    z.strictObject({
      agent: z
        .string()
        .min(1)
        .describe('Route of the agent or tool server.')
        .meta({ examples: ['a2a:shop'] }),
      breaker: breaker
        .optional()
        .describe('Circuit breaker: while it is open, tasks are not sent. Unset: none.')
        .meta({ examples: [{ failures: 5, open_ms: 30_000 }] }),
      retries: retries
        .optional()
        .describe(
          'Turns that are sent again, where the agent got nothing of them or asks for it. Unset: none.',
        )
        .meta({ examples: [{ share: 0.1, most: 2, pause_ms: 250 }] }),
      fallback: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Route of another agent, for new tasks of which this one has taken nothing. A task goes on once, so two agents may stand in for each other. Unset: such tasks fail.',
        )
        .meta({ examples: ['a2a:backup'] }),
    }),
  )
  .default([])
  .describe('What is done about agents that fail: circuit breakers, retries, fallbacks.');
