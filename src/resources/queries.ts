import type { Query } from '#core/query.ts';
import { getUpstreamCard, listAgents } from './agent/queries.ts';
import { listApiKeys } from './api-key/queries.ts';
import { downloadArtifactContent, getArtifact, listArtifacts } from './artifact/queries.ts';
import { getBranch, listSessionBranches } from './branch/queries.ts';
import { exportBundle, validateBundle } from './bundle/queries.ts';
import { getConnector, listConnectors } from './connector/queries.ts';
import { getEvent, listEvents, listSessionEvents, listTaskEvents } from './event/queries.ts';
import { getMemory, listMemories } from './memory/queries.ts';
import type { QueryId } from './operations.ts';
import { getOutcome, listOutcomes } from './outcome/queries.ts';
import { listPermissionRequests, listTaskPermissionRequests } from './permission/queries.ts';
import { getPersona, listPersonas } from './persona/queries.ts';
import { explainPolicy } from './policy/queries.ts';
import { getPushConfig, listDeadLetters, listPushConfigs } from './push/queries.ts';
import { getQuota, listQuotas } from './quota/queries.ts';
/** Queries by operation; a row of the operations table without one does not compile. */
import {
  getReceiptLogConsistency,
  getReceiptLogHead,
  getReceiptLogInclusion,
} from './receipt/log-queries.ts';
import { getReceipt, listTaskReceipts } from './receipt/queries.ts';
import { listSigningKeys } from './receipt/signing-key-queries.ts';
import { getRuntime, getTool, listCapabilities, listTools } from './runtime/queries.ts';
import { getMessage, getSession, listSessionMessages, listSessions } from './session/queries.ts';
import { getSessionTranscript } from './session/transcript/queries.ts';
import { getSkill, listSkills } from './skill/queries.ts';
import { getTask, listSessionTasks, listTaskMaterials, listTasks } from './task/queries.ts';
import { listTrustRecords } from './trust/queries.ts';
import { getVault, listVaults } from './vault/queries.ts';
import { readWorkspaceFile } from './workspace/file-queries.ts';
import { getWorkspace, listWorkspaces } from './workspace/queries.ts';

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
