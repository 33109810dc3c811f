import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ServerDeps } from '#protocol-server.ts';
import type { PushConfig } from '#resources/push/schema.ts';
import { type Encoding, encodeTask, encodeUpdate, type Version } from '../../../mappings/a2a/encode-task.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { A2A_REST_TYPE } from '../../../mappings/a2a/operations.ts';
import {
  decodeCreate,
  decodeCreateProto03,
  decodeListed,
  decodeNamed,
  encodePushConfig,
  type PushConfigGiven,
} from '../../../mappings/a2a/push-configs.ts';
import { TaskView } from '../../../mappings/a2a/task-view.ts';
import { placedBelow } from '../../../mappings/a2a/validate.ts';
import type { PushForm } from '../../bridge.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { type Asking, ownTask } from './asking.ts';
import { pageTokenFault } from './faults.ts';
import { contextIdOf } from './messages.ts';

/** Configs on a page at most. */
const MAX_PAGE = 100;

/** The methods of push notifications: the gateway keeps and delivers, this says it in the words of A2A. */
export async function createPushConfig(
  deps: ServerDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonObject> {
  const { version, isProto03 } = asking.negotiated;
  const { taskId, ...given } = isProto03 ? decodeCreateProto03(params) : decodeCreate(version, params);
  return encodePushConfig(version, await setPushConfig(deps, asking, taskId, given));
}

/** Sets a config; also the one that comes with a message. */
export async function setPushConfig(
  { gateway }: ServerDeps,
  asking: Asking,
  taskId: string,
  { config, member }: PushConfigGiven,
): Promise<PushConfig> {
  await ownTask(gateway, asking, taskId);
  const body = config as unknown as JsonObject;
  const call = asking.exchange.call({ path: { task_id: taskId }, body, idempotencyKey: undefined });
  return ask<PushConfig>(gateway, 'setPushConfig', call).catch((error: unknown) => {
    throw placedBelow(member, taskFault(error));
  });
}

/** What is refused because of the task, under the name that it has in A2A and without words that only Harn has. */
function taskFault(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.param !== 'task_id') return error;
  return new ProtocolError(error.code, error.message, { param: 'taskId', cause: error });
}

export async function getPushConfig(
  deps: ServerDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonObject> {
  const { version } = asking.negotiated;
  const { taskId, configId } = decodeNamed(version, params);
  const found = await find(deps, asking, taskId, configId);
  if (found === undefined) throw refusal('TaskNotFound', 'The task has no such push config.', 'id');
  return encodePushConfig(version, found);
}

/** 0.3 answers with the bare list. */
export async function listPushConfigs(
  deps: ServerDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonValue> {
  const { version } = asking.negotiated;
  const { taskId, pageSize, pageToken } = decodeListed(version, params);
  const { data, next_cursor } = await configsOf(deps, asking, taskId, {
    ...(pageSize === 0 ? {} : { limit: String(Math.min(pageSize, MAX_PAGE)) }),
    ...(pageToken === undefined ? {} : { cursor: pageToken }),
  });
  const configs = data.map((config) => encodePushConfig(version, config));
  if (version === '0.3') return configs;
  return { configs, ...(next_cursor === null ? {} : { nextPageToken: next_cursor }) };
}

/**
 * Deletes a config; one that the task does not have, or no longer has, is deleted already. 0.3 answers with null.
 * Spec: A2A 1.0, 3.1.10.
 */
export async function deletePushConfig(
  deps: ServerDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonValue> {
  const { version } = asking.negotiated;
  const { taskId, configId } = decodeNamed(version, params);
  const found = await find(deps, asking, taskId, configId);
  if (found !== undefined) {
    const path = { task_id: taskId, push_config_id: found.id };
    await deps.gateway.call('deletePushConfig', asking.exchange.call({ path })).catch((error: unknown) => {
      // Another request deleted it meanwhile.
      if (!(error instanceof ProtocolError) || error.code !== 'resource_not_found') throw error;
    });
  }
  return version === '1.0' ? {} : null;
}

/** By the name its client gave it, else by ours; 0.3 means the first one when it names none. */
async function find(
  deps: ServerDeps,
  asking: Asking,
  taskId: string,
  name: string | undefined,
): Promise<PushConfig | undefined> {
  const { data } = await configsOf(deps, asking, taskId);
  return data.find(({ client_id, id }) => name === undefined || client_id === name || id === name);
}

interface ConfigPage {
  data: PushConfig[];
  next_cursor: string | null;
}

/** The configs of a task; without a query all of them, since a task has few. */
async function configsOf(
  { gateway }: ServerDeps,
  asking: Asking,
  taskId: string,
  query: Record<string, string> = {},
): Promise<ConfigPage> {
  await ownTask(gateway, asking, taskId);
  const call = asking.exchange.call({ path: { task_id: taskId }, query });
  return ask<ConfigPage>(gateway, 'listPushConfigs', call).catch((error: unknown) => {
    throw pageTokenFault(error);
  });
}

/** Content that stands beside the log is described, not inlined: a receiver reads it with its own credential. */
const AT_HAND: Pick<Encoding, 'bytes' | 'parts'> = { bytes: new Map(), parts: new Map() };

/**
 * What a push notification holds: in 1.0 each change as on a stream, in 0.3 the Task as it is after the change.
 * Spec: A2A 1.0, 4.3.3; A2A 0.3, 9.5.
 */
export const PUSH_FORMS = { 'a2a-1.0': formOf('1.0'), 'a2a-0.3': formOf('0.3') } as const;

function formOf(version: Version): PushForm {
  return {
    headers: {
      'content-type': version === '1.0' ? A2A_REST_TYPE : 'application/json',
      'a2a-version': version,
    },
    open: (task) => {
      const view = new TaskView();
      return (event) => {
        const updates = view.advance(event).filter(({ type }) => type !== 'event');
        if (updates.length === 0) return [];
        const { id } = task();
        const encoding: Encoding = {
          ...AT_HAND,
          version,
          taskId: id,
          contextId: contextIdOf(task()),
          extended: false,
        };
        if (version === '0.3') return [encodeTask(view, encoding, { artifacts: true })];
        return updates.map((update) => encodeUpdate(update, view, encoding, event));
      };
    },
  };
}
