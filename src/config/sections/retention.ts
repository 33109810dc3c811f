import { z } from 'zod';
import { duration, positive } from '../shapes.ts';

/** A hundred years: times stay inside what a timestamp can spell. */
const days = positive.max(36_525, 'must be 36525 (100 years) or less').nullable();

const workspaceRetention = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(128)
    .describe('Id of the workspace.')
    .meta({ examples: ['workspace_shop'] }),
  events_days: days
    .optional()
    .describe('Instead of retention.events_days.')
    .meta({ examples: [30] }),
  interesting_days: days
    .optional()
    .describe('Instead of retention.interesting_days.')
    .meta({ examples: [180] }),
  sessions_days: days
    .optional()
    .describe('Instead of retention.sessions_days.')
    .meta({ examples: [365] }),
});

export const retention = z
  .strictObject({
    events_days: days
      .default(null)
      .describe(
        'Days that events and replay material of ended runs are kept; null: for ever. Resources and artifacts stay.',
      ),
    interesting_days: days
      .default(365)
      .describe('The same for runs that failed, were canceled or replayed, or needed an approval.'),
    sessions_days: days
      .default(null)
      .describe(
        'Days after its last event that a closed session is kept, with its tasks, messages, artifacts and receipts; null: for ever. It goes whole, with its events; one with a run that is kept longer waits for that.',
      ),
    workspaces: z.array(workspaceRetention).default([]).describe('Workspaces with windows of their own.'),
    sweep_interval_ms: duration.default(3_600_000).describe('Time between two looks for what may go.'),
  })
  .prefault({})
  .describe('How long history is kept. Nothing is removed until events_days or sessions_days is set.');
export type Retention = z.output<typeof retention>;

/** The windows of one workspace. */
export function windowsOf(
  { events_days, interesting_days, sessions_days, workspaces }: Retention,
  workspaceId: string,
): { eventsDays: number | null; interestingDays: number | null; sessionsDays: number | null } {
  const own = workspaces.find(({ id }) => id === workspaceId);
  return {
    eventsDays: own?.events_days === undefined ? events_days : own.events_days,
    interestingDays: own?.interesting_days === undefined ? interesting_days : own.interesting_days,
    sessionsDays: own?.sessions_days === undefined ? sessions_days : own.sessions_days,
  };
}
