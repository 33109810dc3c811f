import { windowsOf } from '#config/sections/retention.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { RetentionSweep } from '#resources/event/retention.ts';
import type { Parts } from './parts.ts';

const DAY_MS = 86_400_000;

/** The sweep with the configured windows. */
export function makeRetention(
  { config, clock, logger }: Parts,
  log: EventLog,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): RetentionSweep {
  const { retention } = config;
  const ms = (days: number | null) => (days === null ? null : days * DAY_MS);
  return new RetentionSweep({
    log,
    clock,
    logger,
    inTurn,
    intervalMs: retention.sweep_interval_ms,
    windowOf: (workspaceId) => {
      const { eventsDays, interestingDays, sessionsDays } = windowsOf(retention, workspaceId);
      return {
        eventsMs: ms(eventsDays),
        interestingMs: ms(interestingDays),
        sessionsMs: ms(sessionsDays),
      };
    },
  });
}
