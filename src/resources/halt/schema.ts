import { z } from 'zod';
import { envelope, time } from '#protocol/envelope.ts';

/** A kill switch that an operator pulled: nothing runs on the agent, or calls the tool, until it is released. */
export const halt = envelope('halt', {
  route: z.string().describe('Route of the agent or tool server, for example `a2a:shop`.'),
  tool: z
    .string()
    .nullable()
    .describe('The one tool or Skill that is halted, as its agent names it; null: all of it.'),
  reason: z.string().describe('Why, in words; every task that it ends or refuses says so.'),
  created_by: z.string(),
  released_at: time.nullable(),
  released_by: z.string().nullable(),
  release_reason: z.string().nullable(),
}).meta({ id: 'Halt' });
export type Halt = z.infer<typeof halt>;

/** A halt as it is answered when it is placed. */
export const placedHalt = halt
  .extend({
    ended_tasks: z.int().min(0).describe('Tasks that it ended, running ones and those that waited.'),
  })
  .meta({ id: 'PlacedHalt' });

const words = z.string().trim().min(1).max(500);

export const createHaltRequest = z
  .object({
    route: z
      .string()
      .min(1)
      .max(200)
      .describe('Route of an agent or tool server, or `skill:<id>` for one tool or Skill.'),
    tool: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('One tool by the name that its agent or server has for it; left out: the agent as a whole.'),
    reason: words,
  })
  .meta({ id: 'CreateHaltRequest' });
export type CreateHaltRequest = z.infer<typeof createHaltRequest>;

export const releaseHaltRequest = z
  .object({ reason: words.optional().describe('Why it may run again.') })
  .meta({ id: 'ReleaseHaltRequest' });
