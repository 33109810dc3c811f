import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { errorResponse } from '#resources/discovery/schema.ts';
import { EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { OPERATIONS, type OperationId, operation } from '#resources/operations.ts';
import { clientFrame, serverFrame } from '../ws/frames.ts';
import { MEMBERS, SPECIFIED, shapeWords } from './openapi-words.ts';

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
  describeMembers(schemas, byOperation as unknown as JsonObject);
  return { schemas, byOperation: byOperation as Record<OperationId, OperationSchemas> };
}

/** Says of each shape and member what its own schema does not say. */
function describeMembers(schemas: JsonObject, byOperation: JsonObject): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const said = shapeWords(name);
    if (said !== undefined) (schema as JsonObject)['description'] ??= said;
    if (!(name in SPECIFIED)) walk(schema, name);
  }
  for (const [id, shapes] of Object.entries(byOperation)) walk(shapes, id);
}

function walk(value: JsonValue | undefined, owner: string): void {
  if (Array.isArray(value)) for (const item of value) walk(item, owner);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'properties') describeEach(member as JsonObject, owner);
    if (key !== 'enum' && key !== 'const' && key !== 'default') walk(member, owner);
  }
}

function describeEach(properties: JsonObject, owner: string): void {
  for (const [name, schema] of Object.entries(properties)) {
    const said = name.includes('.')
      ? `What \`${name}\` says.`
      : (MEMBERS[`${owner}.${name}`] ?? MEMBERS[name]);
    if (said !== undefined) (schema as JsonObject)['description'] ??= said;
  }
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

/** Shapes that no row names: the error envelope, the frames of the WebSocket profile, and what Events say. */
const ALWAYS = {
  error: errorResponse,
  clientFrame,
  serverFrame,
  eventPayloads: z.object(EVENT_PAYLOADS).partial().meta({ id: 'EventPayloads' }),
};

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
