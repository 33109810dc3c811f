/**
 * Bindings the gateway speaks to an agent, and which is taken of a card that offers several: the lowest rank, and of one rank
 * what the card lists first. JSON-RPC of 0.3 comes before its other bindings, whose peers lose whether a chunk is appended.
 * `isProto03`: words are spelled as in the protocol file of 0.3, see `proto-03.ts`.
 */
export const INTERFACES = {
  'jsonrpc-1.0': { binding: 'JSONRPC', version: '1.0', isProto03: false, rank: 0 },
  'http+json-1.0': { binding: 'HTTP+JSON', version: '1.0', isProto03: false, rank: 0 },
  'grpc-1.0': { binding: 'GRPC', version: '1.0', isProto03: false, rank: 1 },
  'jsonrpc-0.3': { binding: 'JSONRPC', version: '0.3', isProto03: false, rank: 2 },
  'http+json-0.3': { binding: 'HTTP+JSON', version: '0.3', isProto03: true, rank: 3 },
  'grpc-0.3': { binding: 'GRPC', version: '0.3', isProto03: true, rank: 4 },
} as const;
export type A2aProtocol = keyof typeof INTERFACES;
export const PROTOCOLS = Object.keys(INTERFACES) as A2aProtocol[];

/** Where agents say that a task went on: the agent and a secret follow. */
export const HINT_PATH = '/a2a-push';

/** Member of the configuration of a message that says where push notifications go. */
export const PUSH_MEMBERS = {
  'jsonrpc-1.0': 'taskPushNotificationConfig',
  'http+json-1.0': 'taskPushNotificationConfig',
  'grpc-1.0': 'taskPushNotificationConfig',
  'jsonrpc-0.3': 'pushNotificationConfig',
  'http+json-0.3': 'pushNotification',
  'grpc-0.3': 'pushNotification',
} as const satisfies Record<A2aProtocol, string>;

/** Media type of the HTTP+JSON binding of 1.0. */
export const A2A_REST_TYPE = 'application/a2a+json';

export interface OperationRow {
  /** JSON-RPC method of A2A 0.3. */
  readonly legacyMethod: string | null;
  /** Method of the service of A2A 0.3; that of 1.0 has the name of the row. */
  readonly legacyGrpc: string | null;
  /** HTTP+JSON route of A2A 1.0, and of 0.3 below `/v1`; `{id}` and `{configId}` are path segments. */
  readonly rest: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string };
  /** Answers with a stream of events. */
  readonly streams: boolean;
  readonly loses?: string;
}

/** Rows by the JSON-RPC method of A2A 1.0. Spec: A2A 1.0 sections 9 and 11; A2A 0.3 section 7. */
export const OPERATIONS = {
  SendMessage: {
    legacyMethod: 'message/send',
    legacyGrpc: 'SendMessage',
    rest: { method: 'POST', path: '/message:send' },
    streams: false,
  },
  SendStreamingMessage: {
    legacyMethod: 'message/stream',
    legacyGrpc: 'SendStreamingMessage',
    rest: { method: 'POST', path: '/message:stream' },
    streams: true,
  },
  GetTask: {
    legacyMethod: 'tasks/get',
    legacyGrpc: 'GetTask',
    rest: { method: 'GET', path: '/tasks/{id}' },
    streams: false,
  },
  ListTasks: {
    legacyMethod: null,
    legacyGrpc: null,
    rest: { method: 'GET', path: '/tasks' },
    streams: false,
    loses: 'listing: the protocol file and the schema of A2A 0.3 have no message for it',
  },
  CancelTask: {
    legacyMethod: 'tasks/cancel',
    legacyGrpc: 'CancelTask',
    rest: { method: 'POST', path: '/tasks/{id}:cancel' },
    streams: false,
  },
  SubscribeToTask: {
    legacyMethod: 'tasks/resubscribe',
    legacyGrpc: 'TaskSubscription',
    rest: { method: 'POST', path: '/tasks/{id}:subscribe' },
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/set',
    legacyGrpc: 'CreateTaskPushNotificationConfig',
    rest: { method: 'POST', path: '/tasks/{id}/pushNotificationConfigs' },
    streams: false,
  },
  GetTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/get',
    legacyGrpc: 'GetTaskPushNotificationConfig',
    rest: { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs/{configId}' },
    streams: false,
  },
  ListTaskPushNotificationConfigs: {
    legacyMethod: 'tasks/pushNotificationConfig/list',
    legacyGrpc: 'ListTaskPushNotificationConfig',
    rest: { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs' },
    streams: false,
  },
  DeleteTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/delete',
    legacyGrpc: 'DeleteTaskPushNotificationConfig',
    rest: { method: 'DELETE', path: '/tasks/{id}/pushNotificationConfigs/{configId}' },
    streams: false,
  },
  GetExtendedAgentCard: {
    legacyMethod: 'agent/getAuthenticatedExtendedCard',
    legacyGrpc: 'GetAgentCard',
    rest: { method: 'GET', path: '/extendedAgentCard' },
    streams: false,
  },
} as const satisfies Record<string, OperationRow>;

export type A2aOperation = keyof typeof OPERATIONS;

export function isOperation(word: string): word is A2aOperation {
  return Object.hasOwn(OPERATIONS, word);
}

/** The HTTP+JSON route of an operation in 0.3; undefined where it has none. Spec: A2A 0.3, 3.2.3. */
export function legacyRoute(name: A2aOperation): OperationRow['rest'] | undefined {
  const { rest, legacyGrpc }: OperationRow = OPERATIONS[name];
  if (legacyGrpc === null) return undefined;
  return { method: rest.method, path: name === 'GetExtendedAgentCard' ? '/v1/card' : `/v1${rest.path}` };
}

/** A JSON-RPC method of 0.3 that is answered with a stream, also when it is refused. Spec: A2A 0.3, 3.3.1. */
export function isLegacyStream(method: string): boolean {
  return Object.values<OperationRow>(OPERATIONS).some(
    ({ streams, legacyMethod }) => streams && legacyMethod === method,
  );
}

/** The method of the service of a version; undefined where it has none. */
export function grpcMethod(version: '1.0' | '0.3', name: A2aOperation): string | undefined {
  const { legacyGrpc }: OperationRow = OPERATIONS[name];
  return version === '1.0' ? name : (legacyGrpc ?? undefined);
}

/** The operation of a method of the service of a version; undefined for every other word. */
export function operationOfGrpc(version: '1.0' | '0.3', method: string): A2aOperation | undefined {
  if (version === '1.0') return isOperation(method) ? method : undefined;
  return (Object.keys(OPERATIONS) as A2aOperation[]).find((name) => OPERATIONS[name].legacyGrpc === method);
}

/** The operation of a JSON-RPC method of either version; undefined for every other word. */
export function operationOfMethod(method: string): A2aOperation | undefined {
  if (isOperation(method)) return method;
  return (Object.keys(OPERATIONS) as A2aOperation[]).find((name) => OPERATIONS[name].legacyMethod === method);
}
