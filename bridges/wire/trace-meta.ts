import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';

/**
 * Parameters that say their trace in `_meta`, where no header goes with a message.
 * Spec: MCP, "_meta" (SEP-414); ACP, "Extensibility".
 */
export function withTrace(params: JsonObject, traceparent: string | undefined): JsonObject {
  if (traceparent === undefined) return params;
  return { ...params, _meta: { ...objectOf(params['_meta']), traceparent } };
}

/** The `traceparent` of a message; undefined where it says none. What is malformed is ignored by who reads it. */
export function traceOf(params: unknown): string | undefined {
  return textOf(objectOf(objectOf(params)['_meta'])['traceparent']);
}
