import { createLogger } from '#operation/logger.ts';
import type { Logger } from '#protocol/ports.ts';
import { Redactor } from '#redaction/redactor.ts';

/** A logger and the redactor that every line of it passes; the gateway gives its secrets to the same redactor. */
export function createLogging(
  level: string,
  destination: Parameters<typeof createLogger>[2],
): { logger: Logger; redactor: Redactor } {
  const redactor = new Redactor();
  return { logger: createLogger(level, redactor, destination), redactor };
}
