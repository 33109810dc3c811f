import type { Command } from '#core/command.ts';
import { createApiKey } from './api-key/createApiKey.ts';
import { revokeApiKey } from './api-key/revokeApiKey.ts';
import { rotateApiKey } from './api-key/rotateApiKey.ts';
import { registerArtifact } from './artifact/registerArtifact.ts';
import { uploadArtifactContent } from './artifact/uploadArtifactContent.ts';
import { abandonBranch } from './branch/abandonBranch.ts';
import { createSessionBranch } from './branch/createSessionBranch.ts';
import { mergeBranch } from './branch/mergeBranch.ts';
import { importBundle } from './bundle/importBundle.ts';
import { deliverToConnector } from './connector/deliverToConnector.ts';
import { createMemory } from './memory/createMemory.ts';
import { deleteMemory } from './memory/deleteMemory.ts';
import { appendSessionMessage } from './message/appendSessionMessage.ts';
import { appendTaskMessage } from './message/appendTaskMessage.ts';
import type { CommandId } from './operations.ts';
import { forgetPermission } from './permission/forgetPermission.ts';
import { respondPermissionRequest } from './permission/respondPermissionRequest.ts';
import { createPersona } from './persona/createPersona.ts';
import { updatePersona } from './persona/updatePersona.ts';
import { deletePushConfig } from './push/deletePushConfig.ts';
import { retryDeadLetter } from './push/retryDeadLetter.ts';
import { setPushConfig } from './push/setPushConfig.ts';
import { revokeSigningKey } from './receipt/revokeSigningKey.ts';
import { rotateSigningKey } from './receipt/rotateSigningKey.ts';
import { verifyReceipt } from './receipt/verifyReceipt.ts';
import { replaySession } from './replay/replaySession.ts';
import { replayTask } from './replay/replayTask.ts';
import { closeSession } from './session/closeSession.ts';
import { compactSession } from './session/compactSession.ts';
import { createSession } from './session/createSession.ts';
import { forkSession } from './session/forkSession.ts';
import { truncateSession } from './session/truncateSession.ts';
import { updateSession } from './session/updateSession.ts';
import { cancelTask } from './task/cancelTask.ts';
import { submitSessionTask } from './task/submitSessionTask.ts';
import { submitTask } from './task/submitTask.ts';
import { createVault } from './vault/createVault.ts';
import { createWorkspace } from './workspace/createWorkspace.ts';
import { updateWorkspace } from './workspace/updateWorkspace.ts';
import { writeWorkspaceFile } from './workspace/writeWorkspaceFile.ts';

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
