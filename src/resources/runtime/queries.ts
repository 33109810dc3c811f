import { z } from 'zod';
import type { Handlers } from '#core/command.ts';
import { listGiven, paging, visibleWorkspaces } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import type { JsonObject } from '#protocol/json.ts';
import { OPERATIONS, type OperationId, type OperationRow, operation } from '#resources/operations.ts';
import { sessionKeys } from '#resources/session/state.ts';
import { taskKeys } from '#resources/task/state.ts';
import { getProviderCatalog } from './provider-catalog.ts';
import type { Capability, Tool } from './schema.ts';

/** A transport is served when an operation of its kind is. */
const TRANSPORTS = [
  { kind: 'query', id: 'transport:rest', description: 'REST with JSON.' },
  { kind: 'stream', id: 'transport:sse', description: 'Server-sent events.' },
  { kind: 'socket', id: 'transport:websocket', description: 'WebSocket with commands and subscriptions.' },
] as const;

/** What the gateway can do, read off the operations table, so that nothing is advertised that is not served. */
const CAPABILITIES: readonly Capability[] = [...transports(), ...operations()];

function transports(): Capability[] {
  const kinds = new Set<string>(Object.values(OPERATIONS).map(({ kind }) => kind));
  return TRANSPORTS.filter(({ kind }) => kinds.has(kind)).map(({ id, description }) => ({ id, description }));
}

function operations(): Capability[] {
  return (Object.keys(OPERATIONS) as OperationId[]).map((name) => {
    const { level, method, path, summary } = operation(name);
    const id = level === 'vendor' ? `vendor.route:${method} ${path}` : `operation:${name}`;
    return { id, description: summary };
  });
}

const BYTES = z.string().meta({ format: 'binary' });

let described: readonly Tool[] | undefined;

/** Commands and queries as tools, but deliveries; made at the first question, because most gateways are never asked. */
function controlTools(): readonly Tool[] {
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
    description: `${row.summary} Called as ${row.method} ${row.path} with ${row.scope === 'any' ? 'any credential' : `the scope ${row.scope}`}.`,
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

/** Counting stops here, so that the answer stays cheap. */
const MAX_COUNTED = 10_000;

const getRuntime: Query<'getRuntime'> = async (_input, tools) => {
  const workspaces = await visibleWorkspaces(tools);
  const value = {
    object: 'runtime',
    version: tools.self.version,
    protocol_version: tools.version.id,
    adapter: 'harn-gateway',
    session_count: await count(tools, workspaces.map(sessionKeys.sessions)),
    task_count: await count(tools, workspaces.map(taskKeys.tasksOfWorkspace)),
    capabilities: CAPABILITIES,
  };
  return ok(value, tools.caller);
};

async function count({ log }: QueryTools, lists: readonly string[]): Promise<number> {
  let counted = 0;
  for (const gt of lists) {
    counted += (await log.indexKeys({ gt, lt: `${gt}~`, limit: MAX_COUNTED - counted })).length;
    if (counted === MAX_COUNTED) break;
  }
  return counted;
}

const listCapabilities: Query<'listCapabilities'> = (_input, { caller }) =>
  ok({ object: 'capability_summary', capabilities: CAPABILITIES }, caller);

const listTools: Query<'listTools'> = ({ query }, tools) => listGiven(tools, controlTools(), paging(query));

const getTool: Query<'getTool'> = ({ path }, { caller }) => {
  const found = controlTools().find(({ id }) => id === path.tool_id);
  if (!found) throw notFound('tool');
  return ok(found, caller);
};

const getCaller: Query<'getCaller'> = (_input, { caller }) =>
  ok(
    {
      object: 'caller',
      actor: caller.actor,
      tenant_id: caller.tenant,
      scopes: [...caller.scopes].sort(),
      workspaces: [...caller.workspaces],
    },
    caller,
  );

export const runtimeQueries = {
  getCaller,
  getProviderCatalog,
  getRuntime,
  getTool,
  listCapabilities,
  listTools,
} satisfies Partial<Handlers>;
