import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';
import type { Asking } from './asking.ts';
import { type MethodDeps, runMethod } from './requests.ts';

/** The method that a notification runs: a message is sent and not waited for, and nothing is read that nobody gets. */
const NOTIFIED: Readonly<Record<A2aOperation, A2aOperation | undefined>> = {
  SendMessage: 'SendMessage',
  SendStreamingMessage: 'SendMessage',
  CancelTask: 'CancelTask',
  CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
  DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
  GetTask: undefined,
  ListTasks: undefined,
  SubscribeToTask: undefined,
  GetTaskPushNotificationConfig: undefined,
  ListTaskPushNotificationConfigs: undefined,
  GetExtendedAgentCard: undefined,
};

/** Does what a request without an id asks for. Spec: JSON-RPC 2.0, 4.1. */
export async function takeNotification(
  name: A2aOperation,
  deps: MethodDeps,
  asking: Asking,
  params: JsonObject,
): Promise<void> {
  const done = NOTIFIED[name];
  const told = params['configuration'];
  const { return_immediately: _, ...given } = isObject(told) ? told : {};
  const configuration = { ...given, returnImmediately: true, blocking: false };
  const members = done === 'SendMessage' ? { ...params, configuration } : params;
  if (done !== undefined) await runMethod(done, deps, asking, members);
}
