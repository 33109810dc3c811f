import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Deeper parts of a log record help nobody; the limit also ends cycles. */
const MAX_LOG_DEPTH = 12;
const TOO_DEEP = '[too deep]';

/**
 * Any value as JSON, for log records and error details: errors with name, message, code, stack and cause; bytes as
 * their length; functions, symbols and undefined left out. Never throws on a cycle.
 */
export function loggable(value: unknown, depth = 0): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return value === undefined ? null : String(value);
  if (depth >= MAX_LOG_DEPTH) return TOO_DEEP;
  if (value instanceof Error) return members(errorMembers(value), depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Map)
    return members(
      [...value].map(([name, item]) => [String(name), item]),
      depth,
    );
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value, (item) => loggable(item, depth + 1));
  return members(Object.entries(value), depth);
}

function errorMembers(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error;
  return [...Object.entries({ name, message, stack, cause }), ...Object.entries(error)];
}

function members(entries: [string, unknown][], depth: number): JsonObject {
  const kept = entries.filter(
    ([, item]) => item !== undefined && typeof item !== 'function' && typeof item !== 'symbol',
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, loggable(item, depth + 1)]));
}
