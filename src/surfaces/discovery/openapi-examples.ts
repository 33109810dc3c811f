import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { OperationId } from '#resources/operations.ts';
import type { Examples } from '#resources/room.ts';

/** Of no room: the answer to every refused call. */
const ERROR = {
  ErrorResponse: {
    error: {
      code: 'resource_not_found',
      message: 'No such task. Check the id.',
      type: 'not_found_error',
      param: 'task_id',
      request_id: 'req_01KAHG6YT0B2D4F6H8K0M2P4R6',
      details: {},
    },
  },
} satisfies Examples;

type Slot = 'request' | 'response';

/**
 * The example of one body of an operation: its own where that of its schema would not show what it does, else that of its schema,
 * in a page where it is a list. A test finds a missing one.
 */
export function exampleOf(
  examples: Examples,
  id: OperationId,
  slot: Slot,
  schema: JsonObject,
): JsonValue | undefined {
  return examples[`${id}.${slot}`] ?? exampleOfSchema(examples, schema);
}

export function exampleOfSchema(examples: Examples, schema: JsonObject): JsonValue | undefined {
  const name = nameOf(schema);
  if (name !== undefined) return examples[name] ?? (ERROR as Examples)[name];
  const [first] = (schema['oneOf'] ?? []) as JsonObject[];
  if (first !== undefined) return exampleOfSchema(examples, first);
  const { data } = (schema['properties'] ?? {}) as { data?: { items?: JsonObject } };
  const item = data?.items && exampleOfSchema(examples, data.items);
  return item === undefined ? undefined : pageOf(item);
}

function nameOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
}

function pageOf(item: JsonValue): JsonObject {
  const position = { has_more: false, next_cursor: null };
  return { object: 'list', data: [item], page: position, ...position };
}
