import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { BUNDLE_EXAMPLES } from '#resources/bundle/examples.ts';
import { RESOURCES, SESSION, TASK } from '#resources/examples.ts';
import type { OperationId } from '#resources/operations.ts';

/** Request bodies, and the answer to a refused one, by the name of their schema. */
const BODIES: Readonly<Record<string, JsonValue>> = {
  ...BUNDLE_EXAMPLES,
  AbandonBranchRequest: { reason: 'The other way was better.' },
  AppendMessageRequest: { message: question('The order number is 17.') },
  AppendTaskMessageRequest: { kind: 'input', message: question('The blue one.') },
  CancelTaskRequest: { reason: 'No longer needed.' },
  CreateBranchRequest: { kind: 'session', base_ref: 'main' },
  CreateMemoryRequest: {
    scope: 'workspace',
    owner_id: 'workspace_default',
    content: 'The customer prefers e-mail.',
    provenance: { actor: 'developer' },
  },
  CreatePersonaRequest: {
    name: 'Concierge',
    version: '1.0.0',
    entry_workflow: 'a2a:sample',
    description: 'Answers questions of guests.',
    autonomy_tier: 'suggest',
    receipt_policy: 'optional',
  },
  CreateSessionRequest: { workspace_id: 'workspace_default' },
  CompactSessionRequest: { summary: 'The customer reported a broken page.', keep_last: 10 },
  CreateApiKeyRequest: {
    name: 'ci',
    actor: 'ci-bot',
    scopes: ['tasks:write', 'tasks:read'],
    workspaces: ['workspace_default'],
  },
  RotateApiKeyRequest: { overlap_seconds: 3600 },
  CreateVaultRequest: { workspace_id: 'workspace_default', provider: 'env', capabilities: ['read'] },
  CreateWorkspaceRequest: { name: 'Shop', root: '/srv/shop' },
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
  ForkSessionRequest: { at_event_id: '00000000000000000042' },
  MergeBranchRequest: { into: null },
  PermissionResponseRequest: { outcome: 'approved', reason: 'Within budget.' },
  RegisterArtifactRequest: {
    kind: 'log',
    mime_type: 'text/plain',
    visibility: 'public',
    session_id: SESSION,
  },
  SetPushConfigRequest: {
    url: 'https://receiver.example.com/hooks/harn',
    secret: 'a key that only you and the gateway know',
  },
  ReplaySessionRequest: { mode: 'exact', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
  ReplayTaskRequest: { mode: 'exact', reason: 'Does it still come out the same?' },
  SubmitTaskRequest: { session_id: SESSION, input: question('Say hello.') },
  TruncateSessionRequest: { keep_first: 2, reason: 'Wrong turn.' },
  UpdatePersonaRequest: { description: 'Answers questions of guests and books tables.' },
  UpdateSessionRequest: { summary: 'A greeting.' },
  UpdateWorkspaceRequest: { name: 'Shop, north' },
  VerifyReceiptRequest: { at_time: '2026-11-21T10:00:00.000Z' },
  WriteWorkspaceFileRequest: { path: 'notes/today.txt', content: 'Call back.\n' },
};

type Slot = 'request' | 'response';

/** Where the example of the schema would not show what the operation does. */
const OF_OPERATION: Partial<Record<`${OperationId}.${Slot}`, JsonValue>> = {
  'submitSessionTask.request': { input: question('Say hello.') },
  'cancelTask.response': { ...TASK, status: 'CANCELED', canceled_at: TASK.updated_at },
  'closeSession.response': { ...RESOURCES.Session, state: 'CLOSED' },
};

/** The example of one body of an operation: that of its schema, in a page where it is a list; a test finds a missing one. */
export function exampleOf(id: OperationId, slot: Slot, schema: JsonObject): JsonValue | undefined {
  return OF_OPERATION[`${id}.${slot}`] ?? exampleOfSchema(schema);
}

export function exampleOfSchema(schema: JsonObject): JsonValue | undefined {
  const name = nameOf(schema);
  if (name !== undefined) return BODIES[name] ?? (RESOURCES as Readonly<Record<string, JsonValue>>)[name];
  const [first] = (schema['oneOf'] ?? []) as JsonObject[];
  if (first !== undefined) return exampleOfSchema(first);
  const { data } = (schema['properties'] ?? {}) as { data?: { items?: JsonObject } };
  const item = data?.items && exampleOfSchema(data.items);
  return item === undefined ? undefined : pageOf(item);
}

function nameOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
}

function pageOf(item: JsonValue): JsonObject {
  const position = { has_more: false, next_cursor: null };
  return { object: 'list', data: [item], page: position, ...position };
}

function question(text: string): JsonObject {
  return { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
}
