import { isObject } from '../../../mappings/a2a/events.ts';
import type { A2aProtocol } from '../../../mappings/a2a/operations.ts';
import { encodePart, type PartDialect } from '../../../mappings/a2a/parts-out.ts';
import { ROLES_V1, ROLES_V03 } from '../../../mappings/a2a/roles.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { OutboundMessage } from '../../../src/upstream.ts';

/** What ties a message to earlier work of the agent. */
export interface MessageLinks {
  taskId: string | undefined;
  contextId: string | undefined;
}

/**
 * The A2A Message of a Harn message; its id is passed on unchanged. Only metadata that is meant for A2A
 * (`metadata.a2a.metadata`) leaves: the rest is between the client and the gateway.
 */
export function encodeMessage(
  message: OutboundMessage,
  links: MessageLinks,
  protocol: A2aProtocol,
  dialect: PartDialect,
): JsonObject {
  const a2a = message.metadata['a2a'];
  const metadata = isObject(a2a) && isObject(a2a['metadata']) ? a2a['metadata'] : undefined;
  return {
    ...(protocol === 'jsonrpc-0.3' && { kind: 'message' }),
    messageId: message.id,
    ...(dialect === 'harn-serve' && { id: message.id }),
    role: roleWord(message.role, protocol),
    parts: message.parts.map((part) => encodePart(part, dialect, message.artifacts)),
    ...(links.contextId !== undefined && { contextId: links.contextId }),
    ...(links.taskId !== undefined && { taskId: links.taskId }),
    ...(metadata !== undefined && { metadata }),
  };
}

function roleWord(role: OutboundMessage['role'], protocol: A2aProtocol): string {
  const found = (protocol === 'jsonrpc-0.3' ? ROLES_V03 : ROLES_V1).encode(role);
  return found.known ? found.word : found.raw;
}
