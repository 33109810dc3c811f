import type { CommandId } from '../../protocol/operations.ts';
import type { Command } from '../command.ts';
import { abandonBranch } from './abandonBranch.ts';
import { appendSessionMessage } from './appendSessionMessage.ts';
import { appendTaskMessage } from './appendTaskMessage.ts';
import { cancelTask } from './cancelTask.ts';
import { closeSession } from './closeSession.ts';
import { compactSession } from './compactSession.ts';
import { createApiKey } from './createApiKey.ts';
import { createMemory } from './createMemory.ts';
import { createPersona } from './createPersona.ts';
import { createSession } from './createSession.ts';
import { createSessionBranch } from './createSessionBranch.ts';
import { createVault } from './createVault.ts';
import { createWorkspace } from './createWorkspace.ts';
import { deleteMemory } from './deleteMemory.ts';
import { deletePushConfig } from './deletePushConfig.ts';
import { deliverToConnector } from './deliverToConnector.ts';
import { forgetPermission } from './forgetPermission.ts';
import { forkSession } from './forkSession.ts';
import { importBundle } from './importBundle.ts';
import { mergeBranch } from './mergeBranch.ts';
import { registerArtifact } from './registerArtifact.ts';
import { replaySession } from './replaySession.ts';
import { replayTask } from './replayTask.ts';
import { respondPermissionRequest } from './respondPermissionRequest.ts';
import { retryDeadLetter } from './retryDeadLetter.ts';
import { revokeApiKey } from './revokeApiKey.ts';
import { revokeSigningKey } from './revokeSigningKey.ts';
import { rotateApiKey } from './rotateApiKey.ts';
import { rotateSigningKey } from './rotateSigningKey.ts';
import { setPushConfig } from './setPushConfig.ts';
import { submitSessionTask } from './submitSessionTask.ts';
import { submitTask } from './submitTask.ts';
import { truncateSession } from './truncateSession.ts';
import { updatePersona } from './updatePersona.ts';
import { updateSession } from './updateSession.ts';
import { updateWorkspace } from './updateWorkspace.ts';
import { uploadArtifactContent } from './uploadArtifactContent.ts';
import { verifyReceipt } from './verifyReceipt.ts';
import { writeWorkspaceFile } from './writeWorkspaceFile.ts';

/** One file per command, named after its operation; a row of the operations table without one does not compile. */
export const COMMANDS: { readonly [Id in CommandId]: Command<Id> } = {
  abandonBranch,
  deletePushConfig,
  retryDeadLetter,
  setPushConfig,
  appendSessionMessage,
  appendTaskMessage,
  cancelTask,
  closeSession,
  compactSession,
  createMemory,
  createPersona,
  createSession,
  createSessionBranch,
  createVault,
  createApiKey,
  rotateApiKey,
  revokeApiKey,
  createWorkspace,
  deleteMemory,
  deliverToConnector,
  forgetPermission,
  forkSession,
  importBundle,
  mergeBranch,
  registerArtifact,
  replaySession,
  replayTask,
  respondPermissionRequest,
  revokeSigningKey,
  rotateSigningKey,
  submitSessionTask,
  submitTask,
  truncateSession,
  updatePersona,
  updateSession,
  updateWorkspace,
  uploadArtifactContent,
  verifyReceipt,
  writeWorkspaceFile,
};
