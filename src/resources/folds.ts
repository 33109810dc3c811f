import type { Event, Projection, StateWriter } from '#eventlog/event-log.ts';
import type { EventKind } from '#protocol/event-kinds.ts';
import { foldApiKeyCreated, foldApiKeyEnded } from './api-key/fold.ts';
import { foldArtifactCreated, foldArtifactRedacted, foldArtifactUpdated } from './artifact/fold.ts';
import { foldBranchAbandoned, foldBranchCreated, foldBranchMerged } from './branch/fold.ts';
import {
  foldImported,
  foldSessionImported,
  importedStates,
  importMarkOf,
  localEvent,
} from './bundle/fold-imported.ts';
import { foldConnectorTask, foldNormalized } from './connector/fold.ts';
import { foldMemoryCreated, foldMemoryDeleted } from './memory/fold.ts';
import { foldAgentMessage, foldUserMessage } from './message/fold.ts';
import { foldApprovalVoted, foldRequestOpened, foldRequestResolved } from './permission/fold.ts';
import { foldPermissionForgotten, foldPermissionRemembered } from './permission/fold-remembered.ts';
import { foldPersonaCreated, foldPersonaUpdated } from './persona/fold.ts';
import {
  foldDeadLetterChanged,
  foldDeliveryGivenUp,
  foldPushConfigDeleted,
  foldPushConfigSet,
  foldPushDelivered,
} from './push/fold.ts';
import { foldUsage } from './quota/fold-usage.ts';
import { foldReceiptIssued, foldReceiptLog, foldReceiptVerified } from './receipt/fold.ts';
import { foldSigningKeyChanged } from './receipt/fold-signing-key.ts';
import {
  changeSession,
  foldAgentUpdate,
  foldMessageAppended,
  foldSessionClosed,
  foldSessionCreated,
  foldSessionUpdated,
} from './session/fold.ts';
import {
  foldSessionCompacted,
  foldSessionTruncated,
  foldTranscriptBudget,
} from './session/transcript/fold.ts';
import { foldSkillDefinition } from './skill/fold.ts';
import {
  foldCancelRequested,
  foldInputSubmitted,
  foldTaskMoved,
  foldTaskSubmitted,
  foldUpstreamBound,
  foldUpstreamNote,
} from './task/fold.ts';
import {
  foldFileWritten,
  foldPolicyDecided,
  foldToolCompleted,
  foldToolFailed,
  foldToolRequested,
} from './task/fold-run.ts';
import { foldTrustRecorded } from './trust/fold.ts';
import { foldVaultConfigured, foldVaultCreated } from './vault/fold.ts';
import { foldWorkspaceCreated, foldWorkspaceUpdated } from './workspace/fold.ts';

type Fold = (event: Event, states: StateWriter) => void;

/** Which folds an event kind drives, in order. A kind without a row changes no resource but `last_event_id`. */
const FOLDS: Partial<Record<EventKind, readonly Fold[]>> = {
  'vendor.harn_gateway.workspace_created': [foldWorkspaceCreated],
  'vendor.harn_gateway.workspace_updated': [foldWorkspaceUpdated],
  'session.created': [foldSessionCreated],
  'session.closed': [foldSessionClosed],
  'session.truncated': [foldSessionTruncated],
  'session.compacted': [foldSessionCompacted],
  'vendor.harn_gateway.transcript_budget': [foldTranscriptBudget],
  'branch.created': [foldBranchCreated],
  'branch.merged': [foldBranchMerged],
  'branch.abandoned': [foldBranchAbandoned],
  'vendor.harn_gateway.session_updated': [foldSessionUpdated],
  'session.message_appended': [foldMessageAppended],
  'user.message': [foldUserMessage],
  'agent.message': [foldAgentMessage],
  'user.input_submitted': [foldInputSubmitted],
  'user.cancel_requested': [foldCancelRequested],
  'task.submitted': [foldTaskSubmitted],
  'task.started': [foldTaskMoved],
  'task.status_changed': [foldTaskMoved],
  'task.input_required': [foldTaskMoved],
  'task.auth_required': [foldTaskMoved],
  'task.completed': [foldTaskMoved],
  'task.failed': [foldTaskMoved],
  'task.canceled': [foldTaskMoved],
  'tool.approval_required': [foldRequestOpened],
  'tool.approved': [foldRequestResolved],
  'tool.denied': [foldRequestResolved],
  'vendor.harn_gateway.permission_requested': [foldRequestOpened],
  'vendor.harn_gateway.permission_resolved': [foldRequestResolved],
  'tool.requested': [foldToolRequested],
  'tool.completed': [foldToolCompleted],
  'tool.failed': [foldToolFailed],
  'vendor.harn_gateway.file_written': [foldFileWritten],
  'receipt.issued': [foldReceiptIssued, foldReceiptLog],
  'receipt.verified': [foldReceiptVerified],
  'receipt.verification_failed': [foldReceiptVerified],
  'artifact.created': [foldArtifactCreated],
  'artifact.updated': [foldArtifactUpdated],
  'artifact.redacted': [foldArtifactRedacted],
  'connector.normalized': [foldNormalized],
  'connector.task_submitted': [foldConnectorTask],
  'vendor.harn_gateway.persona_created': [foldPersonaCreated],
  'vendor.harn_gateway.persona_updated': [foldPersonaUpdated],
  'vendor.harn_gateway.push_config_set': [foldPushConfigSet],
  'vendor.harn_gateway.push_config_deleted': [foldPushConfigDeleted],
  'vendor.harn_gateway.push_delivered': [foldPushDelivered],
  'vendor.harn_gateway.delivery_given_up': [foldDeliveryGivenUp],
  'vendor.harn_gateway.dead_letter_changed': [foldDeadLetterChanged],
  'vendor.harn_gateway.api_key_created': [foldApiKeyCreated],
  'vendor.harn_gateway.api_key_ended': [foldApiKeyEnded],
  'vendor.harn_gateway.vault_created': [foldVaultCreated],
  'vendor.harn_gateway.vault_configured': [foldVaultConfigured],
  'vendor.harn_gateway.memory_created': [foldMemoryCreated],
  'vendor.harn_gateway.memory_deleted': [foldMemoryDeleted],
  'vendor.harn_gateway.upstream_bound': [foldUpstreamBound],
  'vendor.harn_gateway.skill_definition': [foldSkillDefinition],
  'vendor.harn_gateway.policy_decided': [foldPolicyDecided],
  'vendor.harn_gateway.upstream_note': [foldUpstreamNote, foldUsage],
  'vendor.harn_gateway.signing_key_changed': [foldSigningKeyChanged],
  'vendor.harn_gateway.approval_voted': [foldApprovalVoted],
  'vendor.harn_gateway.permission_remembered': [foldPermissionRemembered],
  'vendor.harn_gateway.permission_forgotten': [foldPermissionForgotten],
  'vendor.harn_gateway.trust_recorded': [foldTrustRecorded],
  'vendor.harn_gateway.agent_update': [foldAgentUpdate],
  'vendor.harn_gateway.session_imported': [foldSessionImported],
};

/**
 * Everything a client can read is folded from events by this one function. What was recorded by another gateway folds to the same
 * states, in the Workspace it was imported into.
 */
export const project: Projection = (event, states) => {
  const mark = 'imported' in event.metadata ? importMarkOf(event) : undefined;
  const local = mark === undefined || mark.opaque ? event : localEvent(event, mark);
  const writer = mark === undefined ? states : importedStates(states);
  if (!mark?.opaque) for (const fold of FOLDS[event.event] ?? []) fold(local, writer);
  changeSession(local, writer);
  if (mark !== undefined) foldImported(event, mark, states);
};
