import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { refusal } from './errors-out.ts';
import { A2A_EVENTS, type A2aEventName } from './events.ts';
import type { A2aOperation } from './operations.ts';
import type { StateV03 } from './states.ts';

/**
 * What HTTP+JSON and gRPC of A2A 0.3 send: the JSON form of its protocol file, which spells some things otherwise than JSON-RPC of
 * 0.3. Here one becomes the other; what the words mean is in the tables of 0.3. Lost on the way out: `referenceTaskIds` of a
 * message, for which the protocol file has no field. Spec: A2A 0.3, 5.2 and its `a2a.proto`.
 */

const STATES: Readonly<Record<StateV03, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELLED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  unknown: 'TASK_STATE_UNSPECIFIED',
};
const ROLES = { user: 'ROLE_USER', agent: 'ROLE_AGENT' } as const;

/** A Task, Message or event of JSON-RPC 0.3, under the member that names it in the protocol file. */
export function toProto03(answer: JsonObject): JsonObject {
  const { kind } = answer;
  switch (kind) {
    case A2A_EVENTS.task.kind:
      return { [A2A_EVENTS.task.member]: protoTask(answer) };
    case A2A_EVENTS.message.kind:
      return { [A2A_EVENTS.message.member]: protoMessage03(answer) };
    case A2A_EVENTS.status.kind:
      return { [A2A_EVENTS.status.member]: within(answer, { status: protoStatus }) };
    case A2A_EVENTS.artifact.kind:
      return { [A2A_EVENTS.artifact.member]: within(answer, { artifact: protoArtifact }) };
    default:
      throw new Error(`no message of the protocol file is a ${String(kind)}`);
  }
}

export function protoTask(task: JsonObject): JsonObject {
  return within(task, {
    status: protoStatus,
    history: protoMessage03,
    artifacts: protoArtifact,
  });
}

/** A message of JSON-RPC 0.3 in the words of the protocol file. */
export function protoMessage03(message: JsonObject): JsonObject {
  const { parts, role, referenceTaskIds: _, ...rest } = within(message, { parts: protoPart });
  return { ...rest, role: word(ROLES, role), content: parts ?? [] };
}

function protoStatus(status: JsonObject): JsonObject {
  return { ...within(status, { message: protoMessage03 }), state: word(STATES, status['state']) };
}

function protoArtifact(artifact: JsonObject): JsonObject {
  return within(artifact, { parts: protoPart });
}

function protoPart({ kind: _, file, data, ...rest }: JsonObject): JsonObject {
  if (isObject(file)) {
    const { bytes, uri, ...named } = file;
    const content = {
      ...(bytes !== undefined && { fileWithBytes: bytes }),
      ...(uri !== undefined && { fileWithUri: uri }),
    };
    return { ...rest, file: { ...content, ...named } };
  }
  return data === undefined ? rest : { ...rest, data: { data } };
}

/** Members of the protocol file by the JSON names of JSON-RPC 0.3, as peers spell them: by either of their names. */
const MEMBERS: Readonly<Record<string, string>> = {
  status_update: 'statusUpdate',
  artifact_update: 'artifactUpdate',
  msg: 'message',
  update: 'message',
  task_id: 'taskId',
  context_id: 'contextId',
  message_id: 'messageId',
  artifact_id: 'artifactId',
  last_chunk: 'lastChunk',
  mime_type: 'mimeType',
  fileWithBytes: 'bytes',
  file_with_bytes: 'bytes',
  fileWithUri: 'uri',
  file_with_uri: 'uri',
  content: 'parts',
};

/** An answer of the protocol file as the same answer of JSON-RPC 0.3, which readers know. What it does not know stays as it came. */
export function fromProto03(answer: JsonValue): JsonValue {
  if (!isObject(answer) || typeof answer['kind'] === 'string') return answer;
  const named = withMembers(answer);
  for (const name of Object.keys(A2A_EVENTS) as A2aEventName[]) {
    const { member } = A2A_EVENTS[name];
    const body = named[member];
    if (isObject(body) && named['id'] === undefined && named['messageId'] === undefined)
      return { ...named, [member]: READERS[name](body) };
  }
  return named['messageId'] === undefined ? readTask(named) : messageFrom03(named);
}

const READERS: Readonly<Record<A2aEventName, (body: JsonObject) => JsonObject>> = {
  task: readTask,
  message: messageFrom03,
  status: (body) => within(withMembers(body), { status: readStatus }),
  artifact: (body) => within(withMembers(body), { artifact: readArtifact }),
};

function readTask(task: JsonObject): JsonObject {
  return within(withMembers(task), { status: readStatus, history: messageFrom03, artifacts: readArtifact });
}

/** A message of the protocol file in the words of JSON-RPC 0.3. */
export function messageFrom03(message: JsonObject): JsonObject {
  return within(withMembers(message), { parts: partFrom03 });
}

function readStatus(status: JsonObject): JsonObject {
  return within(withMembers(status), { message: messageFrom03 });
}

function readArtifact(artifact: JsonObject): JsonObject {
  return within(withMembers(artifact), { parts: partFrom03 });
}

/** A part that was spelled as JSON-RPC spells it stays as it is. */
export function partFrom03(part: JsonObject): JsonObject {
  const { file, data, ...rest } = part;
  if (isObject(file)) return { kind: 'file', ...rest, file: withMembers(file) };
  if (isObject(data) && part['kind'] === undefined)
    return { kind: 'data', ...rest, data: isObject(data['data']) ? data['data'] : {} };
  return data === undefined ? { kind: 'text', ...rest } : part;
}

/** The same with JSON names. Of a member that stands there twice the JSON name counts. */
function withMembers(given: JsonObject): JsonObject {
  const members = Object.entries(given).map(([name, value]): [string, JsonValue] => {
    const jsonName = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    return [jsonName === undefined || Object.hasOwn(given, jsonName) ? name : jsonName, value];
  });
  return Object.fromEntries(members);
}

type Change = (value: JsonObject) => JsonObject;

/** The same without its kind, with these members changed; of a list every item. */
function within({ kind: _, ...value }: JsonObject, changes: Readonly<Record<string, Change>>): JsonObject {
  const changed = Object.entries(changes).flatMap(([name, change]): [string, JsonValue][] => {
    const item = value[name];
    if (isObject(item)) return [[name, change(item)]];
    if (!Array.isArray(item)) return [];
    return [[name, item.map((one) => (isObject(one) ? change(one) : one))]];
  });
  return { ...value, ...Object.fromEntries(changed) };
}

function word(table: Readonly<Record<string, string>>, raw: JsonValue | undefined): JsonValue {
  const found = typeof raw === 'string' && Object.hasOwn(table, raw) ? table[raw] : undefined;
  return found ?? raw ?? null;
}

/** The name of a task in the protocol file, and of its push config. Spec: A2A 0.3, `a2a.proto`, GetTaskRequest. */
export function taskName(taskId: string, configId?: string): string {
  return `tasks/${taskId}${configId === undefined ? '' : `/pushNotificationConfigs/${configId}`}`;
}

/** The task that a name names, and the config where it names one; undefined for another text. */
export function readTaskName(name: JsonValue | undefined): { taskId: string; configId?: string } | undefined {
  const [, taskId, configId] =
    /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]+))?$/.exec(String(name ?? '')) ?? [];
  if (taskId === undefined) return undefined;
  return { taskId, ...(configId === undefined ? {} : { configId }) };
}

const TASK: ReadonlyMap<A2aOperation, 'name' | 'parent'> = new Map([
  ['GetTask', 'name'],
  ['CancelTask', 'name'],
  ['SubscribeToTask', 'name'],
  ['CreateTaskPushNotificationConfig', 'parent'],
  ['GetTaskPushNotificationConfig', 'name'],
  ['ListTaskPushNotificationConfigs', 'parent'],
  ['DeleteTaskPushNotificationConfig', 'name'],
]);

/** The members of a request of gRPC 0.3, its task and config by their ids. Throws InvalidParams for a name that is none. */
export function paramsOfProto03(operation: A2aOperation, message: JsonObject): JsonObject {
  const member = TASK.get(operation);
  if (member === undefined) return message;
  const { [member]: given, configId: wanted, ...rest } = message;
  const named = readTaskName(given);
  const isOfConfig = /^(Get|Delete)TaskPush/.test(operation);
  if (named === undefined || (named.configId !== undefined) !== isOfConfig)
    throw refusal(
      'InvalidParams',
      `${member} must be ${taskName('{id}', isOfConfig ? '{config id}' : undefined)}.`,
      member,
    );
  const { taskId, configId } = named;
  if (operation === 'CreateTaskPushNotificationConfig')
    return { ...rest, ...idOfConfig(rest, wanted), taskId };
  return { ...rest, id: taskId, ...(configId === undefined ? {} : { pushNotificationConfigId: configId }) };
}

/** The id of a config stands beside it; one inside counts first. */
function idOfConfig({ config }: JsonObject, id: JsonValue | undefined): JsonObject {
  const inner = isObject(config) ? config['pushNotificationConfig'] : undefined;
  if (!isObject(config) || !isObject(inner) || id === undefined) return {};
  return { config: { ...config, pushNotificationConfig: { id, ...inner } } };
}

/** What a method of 0.3 answered, as a message of the protocol file. */
export function answerProto03(operation: A2aOperation, result: JsonValue): JsonObject {
  return ANSWERS[operation](isObject(result) ? result : {}, result);
}

const asEvent = (event: JsonObject) => toProto03(event);
const ANSWERS: Readonly<Record<A2aOperation, (object: JsonObject, result: JsonValue) => JsonObject>> = {
  SendMessage: asEvent,
  SendStreamingMessage: asEvent,
  SubscribeToTask: asEvent,
  GetTask: protoTask,
  CancelTask: protoTask,
  ListTasks: (page) => page,
  CreateTaskPushNotificationConfig: protoPushConfig,
  GetTaskPushNotificationConfig: protoPushConfig,
  ListTaskPushNotificationConfigs: (_, configs) => ({
    configs: (Array.isArray(configs) ? configs : []).filter(isObject).map(protoPushConfig),
  }),
  DeleteTaskPushNotificationConfig: () => ({}),
  GetExtendedAgentCard: protoCard,
};

/** A push config of JSON-RPC 0.3, as the protocol file has it. */
export function protoPushConfig({ taskId, pushNotificationConfig }: JsonObject): JsonObject {
  const id = isObject(pushNotificationConfig) ? pushNotificationConfig['id'] : undefined;
  const name = taskName(String(taskId), typeof id === 'string' ? id : undefined);
  return { name, pushNotificationConfig: pushNotificationConfig ?? {} };
}

const FROM_CARD = [
  ...['protocolVersion', 'name', 'description', 'url', 'preferredTransport', 'additionalInterfaces'],
  ...['provider', 'version', 'documentationUrl', 'iconUrl', 'capabilities'],
  ...['defaultInputModes', 'defaultOutputModes', 'skills', 'supportsAuthenticatedExtendedCard'],
];

/**
 * The members of a card of JSON-RPC 0.3 that the protocol file has. Its schemes are spelled otherwise there, so that no signature over
 * the card holds for it: they are left out.
 */
export function protoCard(card: JsonObject): JsonObject {
  const members = Object.entries(card).filter(([name]) => FROM_CARD.includes(name));
  const { securitySchemes, security } = card;
  const schemes = Object.entries(isObject(securitySchemes) ? securitySchemes : {}).flatMap(
    ([name, scheme]) =>
      isObject(scheme) && scheme['type'] === 'http'
        ? [[name, { httpAuthSecurityScheme: { scheme: scheme['scheme'] ?? '' } }] as const]
        : [],
  );
  const rows = (Array.isArray(security) ? security : []).filter(isObject).map((row) => ({
    schemes: Object.fromEntries(Object.entries(row).map(([name, list]) => [name, { list }])),
  }));
  return { ...Object.fromEntries(members), securitySchemes: Object.fromEntries(schemes), security: rows };
}
