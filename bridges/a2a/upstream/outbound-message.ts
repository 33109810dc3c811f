import { isObject } from '../../../mappings/a2a/events.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import type { A2aProtocol } from '../../../mappings/a2a/operations.ts';
import { encodePart, type PartDialect } from '../../../mappings/a2a/parts-out.ts';
import { ROLES_V1, ROLES_V03 } from '../../../mappings/a2a/roles.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { OutboundMessage } from '../../../src/upstream.ts';
import type { Beside } from './requests.ts';

/** What ties a message to earlier work of the agent. */
export interface MessageLinks {
  taskId: string | undefined;
  contextId: string | undefined;
  /** Tasks of the agent that the message refers to. */
  referenceTaskIds: readonly string[];
}

/**
 * The A2A Message of a Harn message. Its id is the one a client of A2A gave it, else ours. Only what is meant for A2A
 * (`metadata.a2a`) leaves: the rest is between the client and the gateway.
 */
export function encodeMessage(
  message: OutboundMessage,
  links: MessageLinks,
  protocol: A2aProtocol,
  dialect: PartDialect,
): JsonObject {
  const kept = keptOf(message);
  const id = typeof kept['message_id'] === 'string' ? kept['message_id'] : message.id;
  return {
    ...(protocol === 'jsonrpc-0.3' && { kind: 'message' }),
    messageId: id,
    ...(dialect === 'harn-serve' && { id }),
    role: roleWord(message.role, protocol),
    parts: message.parts.map((part) => encodePart(part, dialect, message.artifacts)),
    ...(links.contextId !== undefined && { contextId: links.contextId }),
    ...(links.taskId !== undefined && { taskId: links.taskId }),
    ...(isObject(kept['metadata']) && { metadata: kept['metadata'] }),
    ...(Array.isArray(kept['extensions']) && { extensions: kept['extensions'] }),
    ...(links.referenceTaskIds.length > 0 && { referenceTaskIds: [...links.referenceTaskIds] }),
  };
}

/**
 * What an A2A client sent beside the message, for the agent. A2A has no field for the system prompt of a Session, so every
 * request carries it in its metadata, under the URI of our extension.
 */
export function sentBeside(message: OutboundMessage, sessionMetadata: JsonObject): Beside {
  const { request, requested_extensions: extensions } = keptOf(message);
  const { metadata: sent, accepted_output_modes: modes } = isObject(request) ? request : {};
  const { system_prompt } = sessionMetadata;
  const prompt = system_prompt == null ? undefined : { [HARN_EXTENSION]: { system_prompt } };
  const metadata = isObject(sent) ? { ...prompt, ...sent } : prompt;
  return {
    ...(metadata !== undefined && { metadata }),
    ...(Array.isArray(modes) && { acceptedOutputModes: modes.map(String) }),
    ...(Array.isArray(extensions) && { extensions: extensions.map(String) }),
  };
}

function keptOf({ metadata }: OutboundMessage): JsonObject {
  return isObject(metadata['a2a']) ? metadata['a2a'] : {};
}

function roleWord(role: OutboundMessage['role'], protocol: A2aProtocol): string {
  const found = (protocol === 'jsonrpc-0.3' ? ROLES_V03 : ROLES_V1).encode(role);
  return found.known ? found.word : found.raw;
}
