import { type DestinationStream, pino } from 'pino';
import type { Logger } from '#protocol/ports.ts';
import type { Redactor } from '#redaction/redactor.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** JSON lines; every field passes the redactor, so that no secret reaches a log whatever was logged. */
export function createLogger(level: string, redactor: Redactor, destination: DestinationStream): Logger {
  const sink = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named } },
    destination,
  );
  const log = (name: (typeof LEVELS)[number]) => (fields: object, message: string) => {
    if (!sink.isLevelEnabled(name)) return;
    sink[name](redactor.redactForLog(fields).value, redactor.redactText(message));
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** The same logger, whose lines about a task say its trace too. */
export function withTraces(logger: Logger, traceOf: (taskId: string) => string | undefined): Logger {
  const traced = (fields: object): object => {
    const { task_id: taskId } = fields as { task_id?: unknown };
    const trace_id = typeof taskId === 'string' ? traceOf(taskId) : undefined;
    return trace_id === undefined ? fields : { ...fields, trace_id };
  };
  return {
    debug: (fields, message) => logger.debug(traced(fields), message),
    info: (fields, message) => logger.info(traced(fields), message),
    warn: (fields, message) => logger.warn(traced(fields), message),
    error: (fields, message) => logger.error(traced(fields), message),
  };
}

function named(label: string): object {
  return { level: label };
}
