import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { createLogger, withTraces } from '#operation/logger.ts';
import type { Logger } from '#protocol/ports.ts';
import { Redactor } from '#redaction/redactor.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';

/** A logger and the redactor that every line of it passes; the gateway gives its secrets to the same redactor. */
export function createLogging(
  level: string,
  destination: Parameters<typeof createLogger>[2],
): { logger: Logger; redactor: Redactor } {
  const redactor = new Redactor();
  return { logger: createLogger(level, redactor, destination), redactor };
}

/** The same logger; lines about a task of the log say its trace too. */
export function logsTraces(logger: Logger, log: Pick<EventLog, 'state'>): Logger {
  return withTraces(logger, (taskId) =>
    unlessDamaged(
      () => log.state<CleanTaskState>(taskKeys.task(taskId))?.internal.trace_id ?? undefined,
      undefined,
    ),
  );
}
