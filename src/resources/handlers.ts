import type { Handlers } from '#core/command.ts';
import { agentHandlers } from './agent/queries.ts';
import { apiKeyHandlers } from './api-key/commands.ts';
import { artifactHandlers } from './artifact/commands.ts';
import { branchHandlers } from './branch/commands.ts';
import { bundleHandlers } from './bundle/commands.ts';
import { connectorHandlers } from './connector/commands.ts';
import { eventHandlers } from './event/queries.ts';
import { memoryHandlers } from './memory/commands.ts';
import { messageHandlers } from './message/commands.ts';
import { outcomeHandlers } from './outcome/queries.ts';
import { permissionHandlers } from './permission/commands.ts';
import { personaHandlers } from './persona/commands.ts';
import { policyHandlers } from './policy/queries.ts';
import { pushHandlers } from './push/commands.ts';
import { quotaHandlers } from './quota/queries.ts';
import { receiptHandlers } from './receipt/commands.ts';
import { replayHandlers } from './replay/commands.ts';
import { runtimeHandlers } from './runtime/queries.ts';
import { sessionHandlers } from './session/commands.ts';
import { skillHandlers } from './skill/queries.ts';
import { taskHandlers } from './task/commands.ts';
import { trustHandlers } from './trust/queries.ts';
import { vaultHandlers } from './vault/commands.ts';
import { workspaceHandlers } from './workspace/commands.ts';

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
