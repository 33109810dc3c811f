import type { JsonObject } from '#protocol/json.ts';

/** What a peer sent where an object belongs; anything else counts as an empty one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
