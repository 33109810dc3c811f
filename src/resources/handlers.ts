import type { Handlers } from '#core/handlers.ts';
import { agentHandlers } from './agent/handlers.ts';
import { apiKeyHandlers } from './api-key/handlers.ts';
import { artifactHandlers } from './artifact/handlers.ts';
import { branchHandlers } from './branch/handlers.ts';
import { bundleHandlers } from './bundle/handlers.ts';
import { connectorHandlers } from './connector/handlers.ts';
import { eventHandlers } from './event/handlers.ts';
import { memoryHandlers } from './memory/handlers.ts';
import { messageHandlers } from './message/handlers.ts';
import { outcomeHandlers } from './outcome/handlers.ts';
import { permissionHandlers } from './permission/handlers.ts';
import { personaHandlers } from './persona/handlers.ts';
import { policyHandlers } from './policy/handlers.ts';
import { pushHandlers } from './push/handlers.ts';
import { quotaHandlers } from './quota/handlers.ts';
import { receiptHandlers } from './receipt/handlers.ts';
import { replayHandlers } from './replay/handlers.ts';
import { runtimeHandlers } from './runtime/handlers.ts';
import { sessionHandlers } from './session/handlers.ts';
import { skillHandlers } from './skill/handlers.ts';
import { taskHandlers } from './task/handlers.ts';
import { trustHandlers } from './trust/handlers.ts';
import { vaultHandlers } from './vault/handlers.ts';
import { workspaceHandlers } from './workspace/handlers.ts';

/** What each command and query does: a line for each room. A row of the operations table without one does not compile. */
export const HANDLERS: Handlers = {
  ...agentHandlers,
  ...apiKeyHandlers,
  ...artifactHandlers,
  ...branchHandlers,
  ...bundleHandlers,
  ...connectorHandlers,
  ...eventHandlers,
  ...memoryHandlers,
  ...messageHandlers,
  ...outcomeHandlers,
  ...permissionHandlers,
  ...personaHandlers,
  ...policyHandlers,
  ...pushHandlers,
  ...quotaHandlers,
  ...receiptHandlers,
  ...replayHandlers,
  ...runtimeHandlers,
  ...sessionHandlers,
  ...skillHandlers,
  ...taskHandlers,
  ...trustHandlers,
  ...vaultHandlers,
  ...workspaceHandlers,
};
