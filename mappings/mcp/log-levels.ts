/** Levels of the lines of a log, the least urgent first. Spec: MCP 2025-11-25, "Logging", RFC 5424. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Undefined for a word that is no level. */
export function logLevelOf(word: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === word);
}

/** Whether a line is sent to who wants this level and what is more urgent; one of an unknown level is. */
export function isLogged(level: unknown, least: LogLevel): boolean {
  const known = logLevelOf(level);
  return known === undefined || LOG_LEVELS.indexOf(known) >= LOG_LEVELS.indexOf(least);
}
