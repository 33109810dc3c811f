import type { OperationRow } from '#resources/operations.ts';
import { type TestClient, userText } from '../harness/client.ts';

/** An id for every path parameter of the operations table, by its name. */
export type Ids = Record<string, string>;

/**
 * Bodies that are valid wherever they go, so that a refusal is about access and nothing else. An operation without a row
 * takes an empty object.
 */
export const BODIES: Record<string, (ids: Ids) => unknown> = {
  createWorkspace: () => ({ name: 'n', root: 'harn://n' }),
  createSession: (ids) => ({ workspace_id: ids['workspace_id'] }),
  appendSessionMessage: () => ({ message: userText('x') }),
  submitSessionTask: () => ({ input: userText('x') }),
  submitTask: (ids) => ({ session_id: ids['session_id'], input: userText('x') }),
  appendTaskMessage: () => ({ kind: 'input', message: userText('x') }),
  registerArtifact: (ids) => ({ ...FILE, workspace_id: ids['workspace_id'] }),
  truncateSession: () => ({ keep_first: 0 }),
  updateSessionInputs: () => ({ kind: 'list' }),
  attachSessionClient: () => ({ client_id: 'someone' }),
  takeoverSessionClient: () => ({ client_id: 'someone' }),
  detachSessionClient: () => ({ client_id: 'someone' }),
  heartbeatSessionClient: () => ({ client_id: 'someone' }),
  createSessionBranch: () => ({ kind: 'session', base_ref: 'x' }),
  writeWorkspaceFile: () => ({ path: 'a.txt', content: 'x' }),
  respondPermissionRequest: () => ({ approved: true }),
  createMemory: (ids) => memoryOf(ids['workspace_id'] ?? ''),
  createApiKey: (ids) => ({ ...API_KEY, workspaces: [ids['workspace_id']] }),
  setPushConfig: () => ({ url: NOBODY }),
  createPermissionRule: (ids) => ruleOf(ids['workspace_id'] ?? ''),
  checkPermission: (ids) => ({
    session_id: ids['session_id'],
    actor: 'developer',
    class: 'read',
    action: 'files__read_file',
    target: 'notes.txt',
  }),
  createHalt: () => haltOfTool(),
  createVault: (ids) => ({ ...VAULT, workspace_id: ids['workspace_id'] }),
  createHold: (ids) => holdOn(ids['session_id'] ?? ''),
  releaseHold: () => ({ reason: 'over' }),
  createErasure: (ids) => erasureOf(ids['spare_session_id'] ?? ''),
};

/** Operations that name a resource in the body. */
export const NAMES_IN_BODY = [
  'createSession',
  'createPermissionRule',
  'checkPermission',
  'submitTask',
  'registerArtifact',
  'createMemory',
  'createVault',
  'createApiKey',
  'createHold',
  'createErasure',
];

/** Who sees a resource although it was made by a member of another workspace; nobody where there is no row. */
export const SEEN_BY: Record<string, readonly string[]> = {
  persona_id: ['foreign_workspace'],
  // What the agents and the gateway offer is the same for all.
  agent_id: ['foreign_workspace', 'foreign_tenant'],
  skill_id: ['foreign_workspace', 'foreign_tenant'],
  tool_id: ['foreign_workspace', 'foreign_tenant'],
  // The keys of the gateway are of no workspace: who administers it sees them all.
  signing_key_id: ['foreign_workspace', 'foreign_tenant'],
  // An agent is halted for everybody.
  halt_id: ['foreign_workspace', 'foreign_tenant'],
};

/** Quotas come from the configuration alone. */
export const QUOTA = {
  id: 'quota-of-default',
  scope: 'workspace',
  owner: 'workspace_default',
  limits: { concurrent_tasks: 500 },
};

/** So do connectors. */
export const CONNECTOR = 'connector-of-default';

/** Nobody listens there, so that a delivery becomes a dead letter at once. */
const NOBODY = 'http://127.0.0.1:1/';
export const OUTBOUND = { allow: ['127.0.0.1'], give_up_after_ms: 1 };

/** Of a tool that nobody has, so that nothing is stopped. */
const haltOfTool = () => ({ route: 'a2a:sample', tool: 'none', reason: 'test' });
const FILE = { kind: 'file', mime_type: 'text/plain', visibility: 'public' };
const API_KEY = { name: 'clerk', actor: 'clerk', scopes: ['tasks:read'] };
const VAULT = { provider: 'any', capabilities: [] };
const ruleOf = (workspace: string) => ({
  scope: 'workspace',
  scope_value: workspace,
  class: 'write',
  action_pattern: '*',
  target_pattern: 'src/**',
  allow: false,
});
const memoryOf = (workspace: string) => ({
  scope: 'workspace',
  owner_id: workspace,
  content: 'remembered',
  provenance: { source: 'test' },
});
const holdOn = (session: string) => ({ name: 'case', session_ids: [session], reason: 'asked for' });
const erasureOf = (session_id: string) => ({ session_id, rule: 'a law' });
const PERSONA = {
  name: 'Clerk',
  version: '1',
  entry_workflow: 'a2a:sample',
  description: 'Keeps the books.',
  autonomy_tier: 'act_auto',
  receipt_policy: 'disabled',
};

/** Makes one resource of every kind in `workspace_default`, and ids of the same form that nothing has. */
export async function makeWorld({ client }: { client: TestClient }): Promise<{ real: Ids; absent: Ids }> {
  const newest = async (list: string) =>
    (await client.get<{ data: { id: string }[] }>(list)).data[0]?.id ?? '';
  const made = async (path: string, body?: unknown) => client.post<Record<string, string>>(path, body);
  const asking = await client.submit('ask');
  await client.until(asking.id, 'INPUT_REQUIRED');
  const done = await client.submit('stream 1', asking.session_id);
  const { outcome_id } = await client.until(done.id, 'COMPLETED');
  const canceled = await client.submit('ask');
  await client.until(canceled.id, 'INPUT_REQUIRED');
  await made(`/v1/tasks/${canceled.id}/push-configs`, { url: NOBODY });
  await made(`/v1/tasks/${canceled.id}/cancel`, {});
  const { id: push_config_id = '' } = await made(`/v1/tasks/${asking.id}/push-configs`, { url: NOBODY });
  for (let tries = 0; (await newest('/v1/dead-letters')) === ''; tries += 1) {
    if (tries === 1_000) throw new Error('no delivery became a dead letter');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const real: Ids = {
    workspace_id: 'workspace_default',
    session_id: asking.session_id,
    task_id: asking.id,
    outcome_id: outcome_id ?? '',
    branch_id: (await made(`/v1/sessions/${asking.session_id}/fork`))['branch_id'] ?? '',
    message_id: await newest(`/v1/sessions/${asking.session_id}/messages`),
    artifact_id: await newest(`/v1/artifacts?session_id=${asking.session_id}`),
    event_id: await newest(`/v1/tasks/${asking.id}/events`),
    request_id: await newest(`/v1/tasks/${asking.id}/permission-requests`),
    memory_id: (await made('/v1/memories', memoryOf('workspace_default')))['id'] ?? '',
    rule_id: (await made('/v1/permissions/rules', ruleOf('workspace_default')))['id'] ?? '',
    receipt_id: await newest(`/v1/tasks/${canceled.id}/receipts`),
    persona_id: (await made('/v1/personas', PERSONA))['id'] ?? '',
    signing_key_id: await newest('/v1/admin/signing-keys'),
    halt_id: (await made('/v1/admin/halts', haltOfTool()))['id'] ?? '',
    key_id: (await made('/v1/admin/api-keys', { ...API_KEY, workspaces: ['workspace_default'] }))['id'] ?? '',
    vault_id: (await made('/v1/vaults', { ...VAULT, workspace_id: 'workspace_default' }))['id'] ?? '',
    hold_id: (await made('/v1/holds', holdOn(canceled.session_id)))['id'] ?? '',
    spare_session_id: (await client.session()).id,
    erasure_id: (await made('/v1/erasures', erasureOf((await client.session()).id)))['id'] ?? '',
    agent_id: 'sample',
    push_config_id,
    dead_letter_id: await newest('/v1/dead-letters'),
    skill_id: await newest('/v1/skills'),
    tool_id: await newest('/v1/tools'),
    quota_id: QUOTA.id,
    connector_id: CONNECTOR,
  };
  const absent = Object.entries(real).map(([name, id]) => [name, id.replace(/.{6}$/, '000000')]);
  return { real, absent: Object.fromEntries(absent) as Ids };
}

/** Names of what an operation touches: its path parameters, and `body` when the body names a resource. */
export function namesIn(id: string, row: OperationRow): string[] {
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return NAMES_IN_BODY.includes(id) ? [...inPath, 'body'] : inPath;
}
