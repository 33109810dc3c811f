import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { errorResponse } from '#resources/discovery/schema.ts';
import { OPERATIONS, type OperationId, operation } from '#resources/operations.ts';
import { clientFrame, serverFrame } from '../ws/frames.ts';

/** JSON Schemas of one operation; absent where it has none or carries raw bytes. */
export interface OperationSchemas {
  query?: JsonObject;
  body?: JsonObject;
  response?: JsonObject;
}

const DEFS = /^#\/(\$defs|definitions)\//;
const COMPONENTS = '#/components/schemas/';

/**
 * Converts every schema of the operations table in one go, so that shapes with an id become shared components.
 * The input side is described: clients may meet members they do not know.
 */
export function operationSchemas(): {
  schemas: JsonObject;
  byOperation: Record<OperationId, OperationSchemas>;
} {
  const ids = Object.keys(OPERATIONS) as OperationId[];
  const { schemas, byName } = componentSchemas({ ...everyShape(ids), ...ALWAYS });
  const byOperation = Object.fromEntries(ids.map((id) => [id, pick(id, byName)]));
  return { schemas, byOperation: byOperation as Record<OperationId, OperationSchemas> };
}

/** JSON Schemas of shapes by name, and the components that they refer to. */
export function componentSchemas(
  shapes: Readonly<Record<string, z.ZodType>>,
  target: 'draft-2020-12' | 'draft-7' = 'draft-2020-12',
): { schemas: JsonObject; byName: JsonObject } {
  const converted = z.toJSONSchema(z.object(shapes), { io: 'input', unrepresentable: 'any', target });
  const moved = pointAtComponents(converted as JsonValue) as JsonObject;
  const definitions = moved['$defs'] ?? moved['definitions'];
  return { schemas: definitions as JsonObject, byName: moved['properties'] as JsonObject };
}

/** Shapes that no row names: the error envelope, and the frames of the WebSocket profile. */
const ALWAYS = { error: errorResponse, clientFrame, serverFrame };

function everyShape(ids: readonly OperationId[]): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {};
  for (const id of ids) {
    const { query, body, response } = operation(id);
    if (query !== undefined) shape[`${id}.query`] = query;
    if (body !== undefined && typeof body !== 'string') shape[`${id}.body`] = body;
    if (typeof response !== 'string') shape[`${id}.response`] = response;
  }
  return shape;
}

function pick(id: OperationId, properties: JsonObject): OperationSchemas {
  const found = (['query', 'body', 'response'] as const)
    .map((part) => [part, properties[`${id}.${part}`]] as const)
    .filter(([, schema]) => schema !== undefined);
  return Object.fromEntries(found);
}

/** Moves references from `$defs` to the components; the `id` of a definition is its key already. */
function pointAtComponents(value: JsonValue, isDefinition = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => pointAtComponents(item));
  if (typeof value !== 'object' || value === null) return value;
  const moved: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (isDefinition && key === 'id') continue;
    if (key === '$ref' && typeof member === 'string') moved[key] = member.replace(DEFS, COMPONENTS);
    else if (key === '$defs' || key === 'definitions') moved[key] = definitions(member);
    else moved[key] = pointAtComponents(member);
  }
  return moved;
}

function definitions(defs: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(defs as JsonObject).map(([name, schema]) => [name, pointAtComponents(schema, true)]),
  );
}
