import { z } from 'zod';
import type { JsonObject, JsonValue } from './json.ts';
import { isObject } from './json-shape.ts';

/** Any JSON value. The strict reader has already bounded depth and refused unsafe numbers and names. */
export const jsonValue = z
  .custom<JsonValue>((value) => value !== undefined)
  .meta({ id: 'JsonValue', description: 'Any JSON value.' });

export const jsonObject = z
  .custom<JsonObject>(isObject, 'must be an object')
  .meta({ id: 'JsonObject', type: 'object', additionalProperties: true });

export const metadata = jsonObject;

/** An id in a request. An empty one is refused: it names nothing, and none is said by leaving it out or by null. */
export const givenId = z.string().min(1);

/** RFC 3339 UTC with milliseconds. */
export const time = z.string().meta({ id: 'Timestamp', format: 'date-time' });

/** The members every top-level resource has. Source: Agents Protocol v1, "Resource model". */
export function envelope<const Name extends string, Shape extends z.ZodRawShape>(object: Name, shape: Shape) {
  return z.object({
    id: z.string(),
    object: z.literal(object),
    created_at: time,
    updated_at: time,
    metadata,
    ...shape,
  });
}

const pageInfo = z
  .object({ has_more: z.boolean(), next_cursor: z.string().nullable() })
  .meta({ id: 'PageInfo' });

/** A page of a list, with the copies of the page members at the top level; see README.md, Lists. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    page: pageInfo,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  });
}

export const pointer = z.object({ object: z.string(), id: z.string() }).meta({ id: 'ResourcePointer' });
