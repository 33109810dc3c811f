import type { QueryId } from '../../protocol/operations.ts';
import type { Query } from '../query.ts';
import { getUpstreamCard, listAgents } from './agents.ts';
import { listApiKeys } from './api-keys.ts';
import { downloadArtifactContent, getArtifact, listArtifacts } from './artifacts.ts';
import { getBranch, listSessionBranches } from './branches.ts';
import { exportBundle, validateBundle } from './bundles.ts';
import { getConnector, listConnectors } from './connectors.ts';
import { getEvent, listEvents, listSessionEvents, listTaskEvents } from './events.ts';
import { getMemory, listMemories } from './memories.ts';
import { getOutcome, listOutcomes } from './outcomes.ts';
import { listPermissionRequests, listTaskPermissionRequests } from './permission-requests.ts';
import { getPersona, listPersonas } from './personas.ts';
import { explainPolicy } from './policy.ts';
import { getPushConfig, listDeadLetters, listPushConfigs } from './push-configs.ts';
import { getQuota, listQuotas } from './quotas.ts';
/** Queries by operation; a row of the operations table without one does not compile. */
import { getReceiptLogConsistency, getReceiptLogHead, getReceiptLogInclusion } from './receipt-log.ts';
import { getReceipt, listTaskReceipts } from './receipts.ts';
import { getRuntime, getTool, listCapabilities, listTools } from './runtime.ts';
import { getMessage, getSession, listSessionMessages, listSessions } from './sessions.ts';
import { listSigningKeys } from './signing-keys.ts';
import { getSkill, listSkills } from './skills.ts';
import { getTask, listSessionTasks, listTaskMaterials, listTasks } from './tasks.ts';
import { getSessionTranscript } from './transcripts.ts';
import { listTrustRecords } from './trust-records.ts';
import { getVault, listVaults } from './vaults.ts';
import { readWorkspaceFile } from './workspace-files.ts';
import { getWorkspace, listWorkspaces } from './workspaces.ts';

export const QUERIES: { readonly [Id in QueryId]: Query<Id> } = {
  downloadArtifactContent,
  exportBundle,
  validateBundle,
  getArtifact,
  getBranch,
  getEvent,
  getMemory,
  getMessage,
  getOutcome,
  getPersona,
  getSession,
  getSessionTranscript,
  getTask,
  getConnector,
  getQuota,
  getReceipt,
  getRuntime,
  getSkill,
  getTool,
  getVault,
  getWorkspace,
  getUpstreamCard,
  getPushConfig,
  listTrustRecords,
  listDeadLetters,
  listPushConfigs,
  listAgents,
  listArtifacts,
  listEvents,
  listMemories,
  listOutcomes,
  listPermissionRequests,
  listPersonas,
  listSessionBranches,
  listSessionEvents,
  listSessionMessages,
  listSessions,
  listSessionTasks,
  listTaskEvents,
  listTaskMaterials,
  listTaskPermissionRequests,
  listTaskReceipts,
  listTasks,
  listCapabilities,
  listConnectors,
  listQuotas,
  getReceiptLogConsistency,
  getReceiptLogHead,
  getReceiptLogInclusion,
  listSigningKeys,
  listSkills,
  listTools,
  listVaults,
  listApiKeys,
  explainPolicy,
  listWorkspaces,
  readWorkspaceFile,
};
