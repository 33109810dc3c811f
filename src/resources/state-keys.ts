import { sha256Hex } from '#json/canonical.ts';

/** Bytes that are stored, by what they are. */
export const storedContents = 'x/content/';
/** Heads of the chains of trust records. */
export const trustChains = 'x/trust-chain/';

/** Keys of folded states and list indexes. Ids are `<object>_<ULID>` or configured names; foreign texts are escaped. */
export const stateKey = {
  workspace: (id: string) => `r/workspace/${id}`,
  session: (id: string) => `r/session/${id}`,
  task: (id: string) => `r/task/${id}`,
  message: (id: string) => `r/message/${id}`,
  artifact: (id: string) => `r/artifact/${id}`,
  /** No event has an Outcome as its resource. */
  outcome: (workspaceId: string, id: string) => `${outcomesOfWorkspace(workspaceId)}${id}`,
  branch: (id: string) => `r/branch/${id}`,
  permissionRequest: (id: string) => `r/permission_request/${id}`,
  memory: (id: string) => `r/memory/${id}`,
  receipt: (id: string) => `r/receipt/${id}`,
  trustRecord: (id: string) => `r/trust_record/${id}`,
  trustChain: (topic: string) => `${trustChains}${foreign(topic)}`,
  vault: (id: string) => `r/vault/${id}`,
  configuredVaults: () => 'x/configured-vaults',
  persona: (id: string) => `r/persona/${id}`,
  apiKey: (id: string) => `r/api_key/${id}`,
  apiKeysOfActor: (tenant: string, actor: string) =>
    `x/actor-keys/${foreign(JSON.stringify([tenant, actor]))}`,
  apiKeyOfHash: (hash: string) => `x/api-key/${hash}`,
  tasks: (sessionId: string, block: number) => `x/tasks/${sessionId}/${String(block).padStart(6, '0')}`,
  turns: (sessionId: string, block: number) => `x/turns/${sessionId}/${String(block).padStart(6, '0')}`,
  upstreamMessage: (taskId: string, upstreamId: string) => `x/um/${taskId}/${foreign(upstreamId)}`,
  upstreamArtifact: (taskId: string, upstreamId: string) => `x/ua/${taskId}/${foreign(upstreamId)}`,
  approvedCall: (taskId: string, toolCallId: string) => `x/ac/${taskId}/${foreign(toolCallId)}`,
  upstreamRequest: (taskId: string, upstreamId: string) => `x/up/${taskId}/${foreign(upstreamId)}`,
  rememberedPermission: (owner: string, { actor, route, subject_sha256 }: RememberedSubject) =>
    `x/rp/${owner}/${foreign(JSON.stringify([actor, route, subject_sha256]))}`,
  rememberedRequest: (requestId: string) => `x/rq/${requestId}`,
  delivery: (connectorId: string, key: string) => `x/delivery/${connectorId}/${foreign(key)}`,
  signedDelivery: (connectorId: string, sha256: string) => `x/sd/${connectorId}/${foreign(sha256)}`,
  keyedSession: (workspaceId: string, actor: string, key: string) =>
    `x/ks/${workspaceId}/${foreign(JSON.stringify([actor, key]))}`,
  connectorSession: (connectorId: string) => `x/cs/${connectorId}`,
  pushTargets: (taskId: string) => `x/push/${taskId}`,
  deadLetter: (id: string) => `r/dead_letter/${id}`,
  quotaUsage: (quotaId: string) => `x/quota/${quotaId}`,
  receiptChain: (sessionId: string) => `x/receipt-chain/${sessionId}`,
  runPage: (taskId: string, page: number) => `x/run/${taskId}/${String(page).padStart(6, '0')}`,
  signingKey: (id: string) => `x/signing-key/${id}`,
  toolDefinition: (route: string, tool: string) => `x/td/${foreign(route)}/${foreign(tool)}`,
  asset: (originalId: string) => `x/asset/${originalId}`,
  content: (scope: string, sha256: string) => `${storedContents}${scope}/${sha256}`,
  sessionImport: (sessionId: string) => `x/import/${sessionId}`,
  receiptLog: () => 'x/receipt-log/size',
  sessionBinding: (sessionId: string, route: string) => `x/sb/${sessionId}/${foreign(route)}`,
} as const;

/** Whose question an answer for good is about, and which. */
export interface RememberedSubject {
  actor: string;
  route: string;
  subject_sha256: string;
}

/**
 * Within what equal bytes are stored once: a Workspace, or the tenant of what belongs to none. No id begins with `~`.
 */
export function contentScope(workspaceId: string | null | undefined, tenant: string | undefined): string {
  return workspaceId ?? `~${foreign(tenant ?? '')}`;
}

/** Text that a key takes as it is: no `/`, and no mark of another kind at its beginning. */
const PLAIN = /^[!"$-.0-}][!-.0-~]{0,63}$/;

/** A segment of a key for text that may be anything: itself when it is short and safe, else its hash behind a `#`. */
function foreign(text: string): string {
  return PLAIN.test(text) ? text : `#${sha256Hex(text).slice(0, 32)}`;
}

function outcomesOfWorkspace(workspaceId: string): string {
  return `x/outcome/${workspaceId}/`;
}

/** A span is its events. */
export function endsWithRun(key: string): boolean {
  return key.startsWith('r/span/');
}

/** A list is a key prefix followed by the member's id; ids sort by creation, so reverse order is newest first. */
export const listPrefix = {
  everyWorkspace: () => 'l/workspace/',
  workspaces: (tenant: string) => `l/workspace/${foreign(tenant)}/`,
  sessions: (workspaceId: string) => `l/session/${workspaceId}/`,
  tasksOfWorkspace: (workspaceId: string) => `l/task/w/${workspaceId}/`,
  /** Tasks whose ids are not in the order in which the session got them; the others are listed in blocks. */
  oddTasksOfSession: (sessionId: string) => `l/task/s/${sessionId}/`,
  openTasks: () => 'l/task/open/',
  branchesOfSession: (sessionId: string) => `l/branch/s/${sessionId}/`,
  requestsOfWorkspace: (workspaceId: string) => `l/permission/w/${workspaceId}/`,
  requestsOfSession: (sessionId: string) => `l/permission/s/${sessionId}/`,
  requestsOfTask: (taskId: string) => `l/permission/t/${taskId}/`,
  /** Permission requests whose answer is remembered. */
  rememberedInWorkspace: (workspaceId: string) => `l/remembered/${workspaceId}/`,
  /** Pending permission requests that have an `expires_at`, ordered by it. */
  expiringRequests: () => 'l/permission-expiry/',
  artifactsOfWorkspace: (workspaceId: string) => `l/artifact/w/${workspaceId}/`,
  artifactsOfSession: (sessionId: string) => `l/artifact/s/${sessionId}/`,
  /** Artifacts that the turns of a session refer to, whoever made them. */
  assetsOfSession: (sessionId: string) => `l/asset/s/${sessionId}/`,
  artifactsOfTask: (taskId: string) => `l/artifact/t/${taskId}/`,
  /** States, not markers: a row for each Outcome that serves the list as well. */
  outcomesOfWorkspace,
  apiKeys: (tenant: string) => `l/api-key/${foreign(tenant)}/`,
  /** The trust records of one chain; ids sort in its order. */
  trustRecords: (topic: string) => `l/trust-record/${foreign(topic)}/`,
  /** Tasks of which something is still to be delivered. */
  pushingTasks: () => 'l/push/task/',
  deadLetters: (workspaceId: string) => `l/dead-letter/w/${workspaceId}/`,
  retryingLetters: () => 'l/dead-letter/retrying/',
  personas: (tenant: string) => `l/persona/${foreign(tenant)}/`,
  vaultsOfTenant: (tenant: string) => `l/vault/t/${foreign(tenant)}/`,
  vaultsOfWorkspace: (workspaceId: string) => `l/vault/w/${workspaceId}/`,
  memoriesOfTenant: (tenant: string) => `l/memory/t/${foreign(tenant)}/`,
  memoriesOfWorkspace: (workspaceId: string) => `l/memory/w/${workspaceId}/`,
  memoriesOfSession: (sessionId: string) => `l/memory/s/${sessionId}/`,
  /** Memories that have an `expires_at`, ordered by it. */
  expiringMemories: () => 'l/memory-expiry/',
  /** Sessions that have an `expires_at`, ordered by it. */
  expiringSessions: () => 'l/session-expiry/',
} as const;
