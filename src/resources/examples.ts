import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { DEFAULT_VERSION, PROTOCOL_FAMILY, SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import { CARD_EXAMPLES } from './agent/card-examples.ts';
import { POLICY_EXPLANATION } from './policy/example.ts';
import { PUSH_EXAMPLES } from './push/examples.ts';
import { RECEIPT_ID, RECEIPT_LOG_EXAMPLES, RECEIPT_MEMBERS, RECEIPT_PAYLOAD } from './receipt/example.ts';
import { COMPACTED, TRANSCRIPT_EXAMPLES } from './session/transcript/examples.ts';
import { TRUST_RECORD } from './trust/example.ts';

const AT = '2026-11-21T09:00:00.000Z';
const VERSION = '0.1.0';
const WORKSPACE = 'workspace_default';
const SIGNING_KEY = resource('signing_key', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', {
  algorithm: 'Ed25519',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  status: 'current',
  not_before: '2026-11-21T09:00:00.000Z',
  not_after: null,
  revoked_at: null,
});

const API_KEY = resource('api_key', 'apikey_01KAHG6QJC3G0Z2K4N6Q8S0V2', {
  name: 'ci',
  actor: 'ci-bot',
  tenant_id: 'tenant_default',
  scopes: ['tasks:write', 'tasks:read'],
  workspaces: ['workspace_default'],
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
});

export const SESSION = 'session_01KAHG5Y3TQ8W0M2Z4N6B8D0F2';
const TASK_ID = 'task_01KAHG62E4R9X1P3A5C7E9G1J3';
const ARTIFACT = 'artifact_01KAHG67R5V0Y2Q4B6D8F0H2K4';
const MESSAGE = 'message_01KAHG5ZK6W1Z3R5C7E9G1J3M5';
/** SHA-256 of `Call back.\n`. */
const FILE_SHA256 = '50578b20e901f9f51d73d40d4d83e49e9a2e8b83b7cf3836dd28ce4a9f6c2afa';
const whole = { session_id: SESSION, workspace_id: WORKSPACE };
const capability = { id: 'tasks', description: 'Runs Tasks on the agents behind the gateway.' };

function resource<const Name extends string, Members extends JsonObject>(
  object: Name,
  id: string,
  members: Members,
) {
  return { id, object, created_at: AT, updated_at: AT, metadata: {}, ...members };
}

const text = (said: string) => [{ type: 'text', text: said, visibility: 'public' }];

const message = resource('message', MESSAGE, {
  ...whole,
  task_id: TASK_ID,
  role: 'user',
  parts: text('Say hello.'),
});

export const TASK = resource('task', TASK_ID, {
  ...whole,
  status: 'WORKING',
  input: { role: 'user', parts: text('Say hello.') },
  created_by: 'developer',
  persona_id: null,
  branch_id: null,
  parent_task_id: null,
  assigned_agent_id: 'a2a:sample',
  receipt_id: null,
  outcome_id: null,
  quota_id: null,
  started_at: AT,
  completed_at: null,
  canceled_at: null,
  failure: null,
});

const session = resource('session', SESSION, {
  workspace_id: WORKSPACE,
  state: 'IDLE',
  transcript: { message_count: 2 },
  persona_id: null,
  root_session_id: null,
  parent_session_id: null,
  branch_id: null,
  last_event_id: '00000000000000000042',
  summary: null,
  expires_at: null,
});

const artifact = resource('artifact', ARTIFACT, {
  kind: 'log',
  mime_type: 'text/plain',
  uri: null,
  visibility: 'public',
  sha256: null,
  ...whole,
  task_id: TASK_ID,
  receipt_id: null,
});

/** What the gateway answers with, by the name of the schema; a test checks each against it. */
export const RESOURCES = {
  ...CARD_EXAMPLES,
  ...PUSH_EXAMPLES,
  Artifact: artifact,
  Branch: resource('branch', 'branch_01KAHG6A16X2A4S6D8F0H2K4N6', {
    ...whole,
    kind: 'session',
    base_ref: 'main',
    parent_branch_id: null,
    task_id: null,
    worktree_uri: null,
    created_by: 'developer',
    merged_into: null,
  }),
  CapabilitySummary: { object: 'capability_summary', capabilities: [capability] },
  Connector: resource('connector', 'orders', {
    provider: 'shop',
    workspace_id: WORKSPACE,
    status: 'ACTIVE',
    event_kinds: ['connector.delivery_received', 'connector.task_submitted'],
    dedupe_policy: { header: 'X-Delivery' },
    auth: { type: 'hmac-sha256', header: 'X-Harn-Signature' },
    webhook: { path: '/v1/connectors/orders/deliveries' },
    polling: {},
    target_persona_id: null,
    target_session_id: null,
  }),
  ConnectorDelivery: {
    id: 'delivery_01KAHG6C47Y3B5T7E9G1J3M5P7',
    object: 'connector_delivery',
    created_at: AT,
    connector_id: 'orders',
    dedupe_key: 'd-17',
    ...whole,
    task_id: TASK_ID,
    message_id: null,
  },
  Discovery: {
    object: 'protocol_discovery',
    protocol_family: PROTOCOL_FAMILY,
    current_version: DEFAULT_VERSION,
    supported_versions: [...SUPPORTED_VERSIONS],
    capabilities: { rest: true, sse: true, websocket: true, receipts: false, replay: true },
  },
  Event: resource('event', '00000000000000000042', {
    event: 'task.started',
    resource: { object: 'task', id: TASK_ID },
    sequence: 2,
    payload: { task_id: TASK_ID, status: 'WORKING' },
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    span_id: null,
    ...whole,
    task_id: TASK_ID,
    actor: 'developer',
    previous_event_id: '00000000000000000041',
  }),
  Health: { ok: true, status: 'ok', version: VERSION },
  /** The OpenAPI document itself. */
  JsonObject: { openapi: '3.1.0', info: { title: 'Harn gateway', version: DEFAULT_VERSION }, paths: {} },
  Memory: resource('memory', 'memory_01KAHG6F78Z4C6V8F0H2K4N6Q8', {
    scope: 'workspace',
    owner_id: WORKSPACE,
    workspace_id: WORKSPACE,
    content: 'The customer prefers e-mail.',
    provenance: { actor: 'developer' },
    expires_at: null,
    visibility: 'public',
  }),
  Message: message,
  Outcome: resource('outcome', 'outcome_01KAHG6HA90D7W9G1J3M5P7R9', {
    ...whole,
    task_id: TASK_ID,
    status: 'SUCCEEDED',
    summary: 'Hello.',
    messages: [{ ...message, role: 'agent', parts: text('Hello.') }],
    artifacts: [artifact],
    handoffs: [],
    receipt_id: null,
    failure: null,
    cost: {},
    metrics: {},
  }),
  Receipt: resource('receipt', RECEIPT_ID, { ...whole, task_id: TASK_ID, ...RECEIPT_MEMBERS }),
  ReceiptPayload: RECEIPT_PAYLOAD,
  PermissionRequest: resource('permission_request', 'permission_01KAHG6KDA1E8X0H2K4N6Q8S0', {
    ...whole,
    task_id: TASK_ID,
    status: 'pending',
    source: 'hitl',
    action: { type: 'elicitation' },
    request: { kind: 'elicitation', message: 'Which color?', options: [] },
    response: null,
  }),
  Persona: resource('persona', 'persona_01KAHG6NGB2F9Y1J3M5P7R9T1', {
    name: 'Concierge',
    version: '1.0.0',
    entry_workflow: 'a2a:sample',
    description: 'Answers questions of guests.',
    autonomy_tier: 'suggest',
    receipt_policy: 'optional',
    tools: [],
    capabilities: [],
    triggers: [],
    schedules: [],
    handoffs: [],
    context_packs: [],
    evals: [],
    owner: null,
    model_policy: {},
    rollout_policy: {},
    quota_id: null,
  }),
  Quota: resource('quota', 'per_workspace', {
    scope: 'workspace',
    owner_id: WORKSPACE,
    limits: { concurrent_tasks: 10 },
    usage: { concurrent_tasks: 1 },
    reset_at: null,
    hard_limit: true,
    soft_limit: false,
    exhaustion_reason: null,
    last_receipt_id: null,
  }),
  ProtectedResource: {
    resource: 'https://gateway.example.com',
    resource_name: 'harn-gateway',
    bearer_methods_supported: ['header'],
    authorization_servers: ['https://login.example.com'],
    scopes_supported: ['sessions:write', 'tasks:write', 'tasks:read'],
    dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    dpop_bound_access_tokens_required: false,
    tls_client_certificate_bound_access_tokens: false,
  },
  Readiness: { ok: true, status: 'ready', reason: null, details: {} },
  RuntimeMetadata: {
    object: 'runtime',
    version: VERSION,
    protocol_version: DEFAULT_VERSION,
    adapter: 'harn-gateway',
    session_count: 1,
    task_count: 1,
    capabilities: [capability],
  },
  RuntimeVersion: { object: 'version', version: VERSION, protocol_version: DEFAULT_VERSION },
  Session: session,
  Skill: resource('skill', 'echo', {
    name: 'Echo',
    description: 'Says it again.',
    input_schema: null,
    output_schema: null,
    source: 'a2a:sample',
    version: null,
    capabilities: ['sample'],
    requires_approval: false,
    deprecated: false,
  }),
  ...RECEIPT_LOG_EXAMPLES,
  SigningKey: SIGNING_KEY,
  KeySet: { keys: [], revoked_keys: [] },
  TrustRecord: TRUST_RECORD,
  Task: TASK,
  Tool: {
    id: 'getTask',
    object: 'tool',
    name: 'getTask',
    description: 'Read a Task.',
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
  },
  ...TRANSCRIPT_EXAMPLES,
  CompactSessionResponse: { ...COMPACTED, session_id: SESSION, session },
  TruncateSessionResponse: {
    object: 'session.truncate_result',
    session_id: SESSION,
    kept_turn_count: 2,
    removed_turn_count: 3,
    new_tip_turn_id: MESSAGE,
    session,
  },
  PolicyExplanation: POLICY_EXPLANATION,
  ApiKey: API_KEY,
  IssuedApiKey: { ...API_KEY, key: 'harn_live_ci_not-a-real-key' },
  Vault: resource('vault', 'vault_01KAHG6QJC3G0Z2K4N6Q8S0V2', {
    workspace_id: WORKSPACE,
    provider: 'env',
    capabilities: ['read'],
  }),
  Workspace: resource('workspace', WORKSPACE, {
    name: 'Default',
    root: '/srv/shop',
    default_branch_id: null,
    host: null,
    repository: null,
    tenant_id: 'tenant_default',
    capabilities: [],
    connectors: [],
    quota_id: null,
  }),
  WorkspaceFile: {
    object: 'file',
    workspace_id: WORKSPACE,
    path: 'notes/today.txt',
    encoding: 'utf-8',
    content: 'Call back.\n',
    bytes: 11,
    sha256: FILE_SHA256,
  },
} as const satisfies Record<string, JsonValue>;
