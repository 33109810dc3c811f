import fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const authentication = { scheme: 'Basic', credentials: 'dXNlcjpwdw==' };
const receiver = { id: 'mine', url: 'https://10.0.0.1/', token: 'token', authentication };
const task = { id: 'task_none', metadata: {} };
const message = {
  messageId: 'm',
  role: 'ROLE_USER',
  contextId: 'c',
  parts: [{ text: 'one', mediaType: 'text/plain', filename: 'f', metadata: {} }, { raw: 'YQ==' }],
  metadata: {},
  extensions: ['urn:x'],
  referenceTaskIds: ['t'],
};
const message03 = {
  ...message,
  kind: 'message',
  role: 'user',
  parts: [
    { kind: 'text', text: 'one', metadata: {} },
    { kind: 'file', file: { bytes: 'YQ==', mimeType: 'a/b', name: 'f' } },
    { kind: 'data', data: { a: 1 } },
  ],
};
const configuration = { historyLength: 1, acceptedOutputModes: ['text/plain'] };

/** Requests with every member that a method has, by version and method. */
const WHOLE: readonly (readonly [version: '1.0' | '0.3', method: string, params: Json])[] = [
  [
    '1.0',
    'SendMessage',
    { message, configuration: { ...configuration, returnImmediately: true }, metadata: {} },
  ],
  ['1.0', 'SendMessage', { message, configuration: { taskPushNotificationConfig: receiver } }],
  ['1.0', 'GetTask', { ...task, historyLength: 1 }],
  [
    '1.0',
    'ListTasks',
    {
      contextId: 'c',
      status: 'TASK_STATE_WORKING',
      pageSize: 5,
      pageToken: 'x',
      historyLength: 0,
      statusTimestampAfter: '2026-01-01T00:00:00Z',
      includeArtifacts: true,
    },
  ],
  ['1.0', 'CancelTask', task],
  ['1.0', 'SubscribeToTask', task],
  ['1.0', 'CreateTaskPushNotificationConfig', { taskId: 'task_none', ...receiver }],
  ['1.0', 'GetTaskPushNotificationConfig', { taskId: 'task_none', id: 'mine' }],
  ['1.0', 'ListTaskPushNotificationConfigs', { taskId: 'task_none', pageSize: 1, pageToken: 'x' }],
  ['1.0', 'DeleteTaskPushNotificationConfig', { taskId: 'task_none', id: 'mine' }],
  ['1.0', 'GetExtendedAgentCard', { tenant: '' }],
  ['0.3', 'message/send', { message: message03, configuration: { ...configuration, blocking: false } }],
  ['0.3', 'tasks/get', { ...task, historyLength: 1 }],
  [
    '0.3',
    'tasks/pushNotificationConfig/set',
    { taskId: 'task_none', pushNotificationConfig: { ...receiver, authentication: { schemes: ['Basic'] } } },
  ],
];

/** What no member of any method may be, and what some may. */
const VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  9_007_199_254_740_991,
  '',
  ' ',
  'x\u0000\r\ny: z',
  '../../x',
  'é'.repeat(300),
  'x'.repeat(9_000),
  [],
  [null],
  [[[[]]]],
  {},
  { a: { b: [1] } },
  { constructor: 1, toString: 2 },
];

export interface BrokenRequest {
  version: '1.0' | '0.3';
  method: string;
  params: Json;
}

/** A whole request of which up to three members are left out or hold something else. */
export const brokenRequest: fc.Arbitrary<BrokenRequest> = fc
  .record({
    whole: fc.constantFrom(...WHOLE),
    changes: fc.array(
      fc.record({ at: fc.nat(), to: fc.option(fc.constantFrom(...VALUES), { nil: undefined }) }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ whole: [version, method, params], changes }) => {
    const broken = structuredClone(params);
    for (const { at, to } of changes) change(broken, at, to);
    return { version, method, params: broken };
  });

/** Changes the member that comes at this place, counted around; undefined takes it away. */
function change(params: Json, at: number, to: Json | undefined): void {
  const places = placesIn(params);
  const place = places[at % places.length];
  if (place === undefined) return;
  if (to === undefined) delete place.of[place.name];
  else place.of[place.name] = structuredClone(to);
}

function placesIn(value: Json): { of: { [name: string]: Json }; name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const of = value as { [name: string]: Json };
  return Object.keys(of).flatMap((name) => [{ of, name }, ...placesIn(of[name] ?? null)]);
}
