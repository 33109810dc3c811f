import { z } from 'zod';
import type { JsonObject } from '#protocol/json.ts';
import { OPERATIONS, type OperationId, type OperationRow, operation } from '#resources/operations.ts';
import type { Tool } from './schema.ts';

const BYTES = z.string().meta({ format: 'binary' });

let described: readonly Tool[] | undefined;

/** Commands and queries as tools, but deliveries; made at the first question, because most gateways are never asked. */
export function controlTools(): readonly Tool[] {
  described ??= (Object.keys(OPERATIONS) as OperationId[])
    .filter((id) => isTool(operation(id)))
    .map((id) => toolOf(id, operation(id)));
  return described;
}

/** What is signed by its sender cannot be called by who holds a key. */
function isTool({ kind, scope }: OperationRow): boolean {
  return (kind === 'command' || kind === 'query') && scope !== 'signature';
}

/** The arguments are those of the REST route, by place: `path`, `query` and `body`. */
function toolOf(id: OperationId, row: OperationRow): Tool {
  return {
    id,
    object: 'tool',
    name: id,
    description: `${row.summary} Called as ${row.method} ${row.path} with the scope ${row.scope}.`,
    input_schema: inputSchema(row),
    output_schema: schemaOf(outputOf(row)),
  };
}

function inputSchema(row: OperationRow): JsonObject {
  const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const path = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const body = typeof row.body === 'string' ? BYTES : row.body;
  return schemaOf(
    z.object({
      ...(names.length === 0 ? {} : { path }),
      ...(row.query === undefined ? {} : { query: row.query.optional() }),
      ...(body === undefined ? {} : { body: row.bodyRequired === false ? body.optional() : body }),
    }),
  );
}

function outputOf({ response }: OperationRow): z.ZodType {
  if (typeof response !== 'string') return response;
  return response === 'none' ? z.null() : BYTES;
}

function schemaOf(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
}
