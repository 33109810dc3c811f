import type { FaceMethods } from '#face.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';

/** What each A2A method is in operations of the gateway: the caller needs the scope of that operation. */
export const METHODS = {
  SendMessage: 'submitTask',
  SendStreamingMessage: 'submitTask',
  GetTask: 'getTask',
  ListTasks: 'listTasks',
  CancelTask: 'cancelTask',
  SubscribeToTask: 'streamTaskEvents',
  CreateTaskPushNotificationConfig: 'setPushConfig',
  GetTaskPushNotificationConfig: 'getPushConfig',
  ListTaskPushNotificationConfigs: 'listPushConfigs',
  DeleteTaskPushNotificationConfig: 'deletePushConfig',
  GetExtendedAgentCard: 'listSkills',
} as const satisfies FaceMethods<A2aOperation>;
