import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { OPERATIONS, type OperationId, type OperationRow, operation } from '#resources/operations.ts';
import { OWN } from '../resources/bundle/unit/bundles.ts';
import { BODIES, type Ids, makeWorld } from './access-world.ts';
import type { Stage } from './stage.ts';

const BUNDLE = readFileSync(new URL('sanitized.bundle.json', OWN));

/** One operation in the document of a gateway. */
interface Described {
  requestBody?: { content: Record<string, { schema?: JsonObject; example?: JsonValue }> };
}
export interface OpenApiDocument {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonObject> };
}

export interface MatrixRequest {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Every row of the operations table: what joins the table joins the matrix. */
export const ROWS = (Object.keys(OPERATIONS) as OperationId[]).map((id) => [id, operation(id)] as const);

/**
 * What a request that is right in its form is answered with where it is no success: the world of the matrix does not have what it
 * asks for. All others succeed.
 */
export const ANSWERED_OTHERWISE: Partial<Record<string, readonly number[]>> = {
  // Signed by their senders.
  deliverToConnector: [401],
  // Opened as a WebSocket, not asked.
  openWebSocket: [400],
  // Nothing is remembered in the world of the matrix.
  forgetPermission: [404],
};

const RULE = { class: 'write', action_pattern: '*', target_pattern: 'src/**', allow: false };

/** Bodies that an example cannot be, because they have to fit the world. A row without an entry takes its example. */
const OWN_BODIES: Partial<Record<string, (ids: Ids) => unknown>> = {
  ...BODIES,
  respondPermissionRequest: () => ({ approved: true, answer: { text: 'red' } }),
  exportBundle: (ids) => ({ session_id: ids['session_id'], mode: 'sanitized' }),
  validateBundle: () => BUNDLE,
  importBundle: () => BUNDLE,
  // The one of the example goes on behind a commit of another log.
  createBackup: () => ({}),
  forkSession: () => ({}),
  verifyReceipt: () => ({}),
  replayTask: () => ({ mode: 'exact' }),
  replaySession: () => ({ mode: 'exact' }),
  createPermissionRule: (ids) => ({ ...RULE, scope: 'session', scope_value: ids['session_id'] }),
};

/** A request of the operation that is right, in a world where all that it names is there. */
export async function rightRequest(
  stage: Stage,
  document: OpenApiDocument,
  [id, row]: (typeof ROWS)[number],
  world: Ids,
): Promise<MatrixRequest> {
  const ids = { ...world, ...(await freshFor(stage, id, row)) };
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'absent'));
  const body = bodyOf(document, id, row, ids);
  return {
    method: row.method,
    path: path + (QUERIES[id]?.(ids) ?? ''),
    ...(body === undefined ? {} : { body }),
  };
}

const QUERIES: Partial<Record<string, (ids: Ids) => string>> = {
  readWorkspaceFile: () => '?path=matrix.txt',
  explainPolicy: () => '?actor=actor_test&operation=submitTask',
  getReceiptLogInclusion: ({ receipt_id }) => `?receipt_id=${receipt_id}`,
  getReceiptLogConsistency: () => '?first=1',
};

function bodyOf(document: OpenApiDocument, id: string, row: OperationRow, ids: Ids): unknown {
  if (row.body === undefined) return undefined;
  const own = OWN_BODIES[id]?.(ids);
  if (own !== undefined) return own;
  if (typeof row.body === 'string') return Buffer.from('{}');
  const example = describedIn(document, row)?.requestBody?.content['application/json']?.example;
  return withIds(example, ids);
}

export function describedIn(
  document: OpenApiDocument,
  { path, method }: OperationRow,
): Described | undefined {
  return document.paths[path]?.[method.toLowerCase()];
}

/** The example with ids of the world where a member is named like one. */
function withIds(value: JsonValue | undefined, ids: Ids): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const known = typeof member === 'string' ? ids[name] : undefined;
    return [name, known ?? withIds(member, ids) ?? null] as const;
  });
  return Object.fromEntries(entries);
}

/** About a client that is attached. */
const NEEDS_LIVE_CLIENT: ReadonlySet<string> = new Set(['detachSessionClient', 'heartbeatSessionClient']);

/** What a command uses up is made for it. */
async function freshFor({ client }: Stage, id: string, { kind, path }: OperationRow): Promise<Ids> {
  if (id === 'exportBundle') {
    const { session_id, id: task_id } = await client.submit('hello');
    await client.until(task_id, 'COMPLETED');
    return { session_id };
  }
  if (kind !== 'command') return {};
  if (path.startsWith('/v1/branches/{branch_id}')) {
    const { id: session_id } = await client.session();
    const { branch_id } = await client.post<{ branch_id: string }>(`/v1/sessions/${session_id}/fork`);
    return { branch_id };
  }
  if (path.startsWith('/v1/permission-requests/{request_id}') || id === 'appendTaskMessage') {
    const { id: task_id } = await client.submit('ask');
    await client.until(task_id, 'INPUT_REQUIRED');
    const asked = await client.get<{ data: { id: string }[] }>(`/v1/tasks/${task_id}/permission-requests`);
    return { task_id, request_id: asked.data[0]?.id ?? '' };
  }
  if (path.startsWith('/v1/sessions/{session_id}')) {
    const { session_id, id: task_id } = await client.submit('hello');
    await client.until(task_id, 'COMPLETED');
    if (NEEDS_LIVE_CLIENT.has(id))
      await client.post(`/v1/sessions/${session_id}/attach`, BODIES['attachSessionClient']?.({}) ?? {});
    return { session_id };
  }
  if (path.startsWith('/v1/tasks/{task_id}')) {
    const { id: task_id } = await client.submit(id === 'replayTask' ? 'hello' : 'slow 20');
    if (id === 'replayTask') await client.until(task_id, 'COMPLETED');
    if (!path.includes('{push_config_id}')) return { task_id };
    const config = await client.post<{ id: string }>(`/v1/tasks/${task_id}/push-configs`, {
      url: 'http://127.0.0.1:1/',
    });
    return { task_id, push_config_id: config.id };
  }
  if (id === 'createErasure') return { spare_session_id: (await client.session()).id };
  if (path.startsWith('/v1/holds')) {
    const { id: session_id } = await client.session();
    if (id === 'createHold') return { session_id };
    const body = { name: 'n', session_ids: [session_id], reason: 'r' };
    return { hold_id: (await client.post<{ id: string }>('/v1/holds', body)).id };
  }
  const made = MADE_FOR[/\{(\w+)\}/.exec(path)?.[1] ?? ''];
  return made === undefined
    ? {}
    : { [made.name]: (await client.post<{ id: string }>(made.path, made.body())).id };
}

let actors = 0;
const MADE_FOR: Readonly<Record<string, { name: string; path: string; body(): object }>> = {
  key_id: {
    name: 'key_id',
    path: '/v1/admin/api-keys',
    // An actor has two keys at most.
    body: () => ({
      name: 'n',
      actor: `a${++actors}`,
      scopes: ['tasks:read'],
      workspaces: ['workspace_default'],
    }),
  },
  rule_id: {
    name: 'rule_id',
    path: '/v1/permissions/rules',
    body: () => ({ ...RULE, scope: 'workspace', scope_value: 'workspace_default' }),
  },
  memory_id: {
    name: 'memory_id',
    path: '/v1/memories',
    body: () => ({
      scope: 'workspace',
      owner_id: 'workspace_default',
      content: 'x',
      provenance: { source: 't' },
    }),
  },
  artifact_id: {
    name: 'artifact_id',
    path: '/v1/artifacts',
    body: () => ({
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      workspace_id: 'workspace_default',
    }),
  },
};

/** Requests that are wrong in one thing each, and the status that they are refused with. */
export function wrongRequests(
  document: OpenApiDocument,
  row: OperationRow,
  right: MatrixRequest,
): { name: string; request: MatrixRequest; statuses: readonly number[] }[] {
  const found: { name: string; request: MatrixRequest; statuses: readonly number[] }[] = [];
  const add = (name: string, change: Partial<MatrixRequest>, ...statuses: number[]) => {
    found.push({ name, request: { ...right, ...change }, statuses });
  };
  if (row.path.includes('{')) {
    const absent = row.path.replace(/\{(\w+)\}/g, 'absent_000000');
    // What decides first differs: the one that signs, the member that is missing, the thing that is not there.
    add('an absent id', { path: absent }, 404, 401);
  }
  if (row.query !== undefined && 'limit' in row.query.shape)
    add('limit 0', { path: `${right.path.split('?')[0]}?limit=0` }, 400);
  if (row.body === undefined || typeof row.body === 'string') return found;
  for (const body of ['[]', '"text"', '{', 'null'])
    add(`the body ${body}`, { body, headers: { 'content-type': 'application/json' } }, 400);
  const schema = schemaOf(document, row);
  const { body } = right;
  if (typeof body !== 'object' || body === null) return found;
  for (const name of (schema['required'] ?? []) as string[]) {
    const { [name]: _, ...rest } = body as JsonObject;
    add(`no ${name}`, { body: rest }, 400);
  }
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>))
    if (Array.isArray(member['enum']))
      add(`another word for ${name}`, { body: { ...body, [name]: 'zzz' } }, 400);
  return found;
}

function schemaOf(document: OpenApiDocument, row: OperationRow): JsonObject {
  const schema = describedIn(document, row)?.requestBody?.content['application/json']?.schema ?? {};
  const name = /^#\/components\/schemas\/(.*)$/.exec(String(schema['$ref'] ?? ''))?.[1];
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** The world in which all requests are made. */
export async function matrixWorld(stage: Stage): Promise<Ids> {
  const { real } = await makeWorld(stage);
  const file = { path: 'matrix.txt', content: 'x' };
  await stage.client.call('PUT', '/v1/workspaces/workspace_default/files', { body: file });
  return real;
}
