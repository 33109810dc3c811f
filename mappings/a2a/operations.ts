/** Bindings the gateway speaks to an agent. HTTP+JSON of 0.3 is none of them: see bridges/a2a/README.md. */
export const PROTOCOLS = ['jsonrpc-1.0', 'http+json-1.0', 'jsonrpc-0.3'] as const;
export type A2aProtocol = (typeof PROTOCOLS)[number];

/** Media type of the HTTP+JSON binding. */
export const A2A_REST_TYPE = 'application/a2a+json';

export interface OperationRow {
  /** JSON-RPC method of A2A 0.3. */
  readonly legacyMethod: string | null;
  /** HTTP+JSON route of A2A 1.0; `{id}` and `{configId}` are path segments. */
  readonly rest: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string };
  /** Answers with a stream of events. */
  readonly streams: boolean;
  readonly loses?: string;
}

/** Rows by the JSON-RPC method of A2A 1.0. Spec: A2A 1.0 sections 9 and 11; A2A 0.3 section 7. */
export const OPERATIONS = {
  SendMessage: {
    legacyMethod: 'message/send',
    rest: { method: 'POST', path: '/message:send' },
    streams: false,
  },
  SendStreamingMessage: {
    legacyMethod: 'message/stream',
    rest: { method: 'POST', path: '/message:stream' },
    streams: true,
  },
  GetTask: { legacyMethod: 'tasks/get', rest: { method: 'GET', path: '/tasks/{id}' }, streams: false },
  ListTasks: {
    legacyMethod: null,
    rest: { method: 'GET', path: '/tasks' },
    streams: false,
    loses: 'listing: A2A 0.3 has it over gRPC and REST only',
  },
  CancelTask: {
    legacyMethod: 'tasks/cancel',
    rest: { method: 'POST', path: '/tasks/{id}:cancel' },
    streams: false,
  },
  SubscribeToTask: {
    legacyMethod: 'tasks/resubscribe',
    rest: { method: 'POST', path: '/tasks/{id}:subscribe' },
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/set',
    rest: { method: 'POST', path: '/tasks/{id}/pushNotificationConfigs' },
    streams: false,
  },
  GetTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/get',
    rest: { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs/{configId}' },
    streams: false,
  },
  ListTaskPushNotificationConfigs: {
    legacyMethod: 'tasks/pushNotificationConfig/list',
    rest: { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs' },
    streams: false,
  },
  DeleteTaskPushNotificationConfig: {
    legacyMethod: 'tasks/pushNotificationConfig/delete',
    rest: { method: 'DELETE', path: '/tasks/{id}/pushNotificationConfigs/{configId}' },
    streams: false,
  },
  GetExtendedAgentCard: {
    legacyMethod: 'agent/getAuthenticatedExtendedCard',
    rest: { method: 'GET', path: '/extendedAgentCard' },
    streams: false,
  },
} as const satisfies Record<string, OperationRow>;

export type A2aOperation = keyof typeof OPERATIONS;

export function isOperation(word: string): word is A2aOperation {
  return Object.hasOwn(OPERATIONS, word);
}

/** A JSON-RPC method of 0.3 that is answered with a stream, also when it is refused. Spec: A2A 0.3, 3.3.1. */
export function isLegacyStream(method: string): boolean {
  return Object.values<OperationRow>(OPERATIONS).some(
    ({ streams, legacyMethod }) => streams && legacyMethod === method,
  );
}

/** The operation of a JSON-RPC method of either version; undefined for every other word. */
export function operationOfMethod(method: string): A2aOperation | undefined {
  if (isOperation(method)) return method;
  return (Object.keys(OPERATIONS) as A2aOperation[]).find((name) => OPERATIONS[name].legacyMethod === method);
}
