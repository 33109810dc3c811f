import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** Names of members in the protocol file of A2A 1.0, by what peers send besides the JSON names. */
const JSON_NAMES: Readonly<Record<string, string>> = {
  status_update: 'statusUpdate',
  artifact_update: 'artifactUpdate',
  task_id: 'taskId',
  context_id: 'contextId',
  message_id: 'messageId',
  artifact_id: 'artifactId',
  reference_task_ids: 'referenceTaskIds',
  last_chunk: 'lastChunk',
  media_type: 'mediaType',
  supported_interfaces: 'supportedInterfaces',
  protocol_binding: 'protocolBinding',
  protocol_version: 'protocolVersion',
  default_input_modes: 'defaultInputModes',
  default_output_modes: 'defaultOutputModes',
  input_modes: 'inputModes',
  output_modes: 'outputModes',
  documentation_url: 'documentationUrl',
  icon_url: 'iconUrl',
};

/** Members whose values are of the protocol; `metadata`, `data` and what nobody knows are of the peer, and stay as they are. */
const INSIDE = [
  ...['task', 'message', 'statusUpdate', 'artifactUpdate'],
  ...['status', 'history', 'artifacts', 'artifact', 'parts'],
  ...['supportedInterfaces', 'skills'],
];

/**
 * What a peer said with the JSON names of all members. ProtoJSON lets a peer send either name; of a member that stands there
 * twice the JSON name counts. Comes back as the same value when there is nothing to rename. Spec: ProtoJSON, "Field names".
 */
export function withJsonNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return unlessSame(value, value.map(withJsonNames));
  if (!isObject(value)) return value;
  let isSame = true;
  const members = Object.entries(value).map(([given, item]): [string, JsonValue] => {
    const jsonName = Object.hasOwn(JSON_NAMES, given) ? JSON_NAMES[given] : undefined;
    const name = jsonName === undefined || Object.hasOwn(value, jsonName) ? given : jsonName;
    const read = INSIDE.includes(name) ? withJsonNames(item) : item;
    isSame &&= name === given && read === item;
    return [name, read];
  });
  return isSame ? value : (Object.fromEntries(members) as JsonObject);
}

function unlessSame(before: JsonValue[], after: JsonValue[]): JsonValue[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}
