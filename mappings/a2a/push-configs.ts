import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';
import {
  type PushConfig,
  type SetPushConfigRequest,
  setPushConfigRequest,
} from '../../src/protocol/resources/push-config.ts';
import type { Version } from './encode-task.ts';
import { isObject } from './events.ts';
import { validate } from './validate.ts';

/** Absent, null and the empty string are the same in the JSON form of protocol buffers. */
const text = z
  .string()
  .max(4_096)
  .nullish()
  .transform((value) => (value === '' || value === null ? undefined : value));
const id = z.string('is required').min(1, 'must not be empty').max(512);

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

const members = {
  id: text.refine(
    (value) => value === undefined || NAME.test(value),
    'must be 1 to 64 letters, digits, _, . or -',
  ),
  url: z.string('is required').min(1, 'must not be empty').max(2_048, 'must have at most 2048 characters'),
  token: text,
};

const configV1 = z.looseObject({
  ...members,
  authentication: z.looseObject({ scheme: id, credentials: text }).nullish(),
});
const configV03 = z.looseObject({
  ...members,
  authentication: z.looseObject({ schemes: z.array(id).min(1), credentials: text }).nullish(),
});

/** What a client of either version wants set, in words of the gateway. Of several schemes of 0.3 the first is used. */
export function decodePushConfig(version: Version, config: JsonObject): SetPushConfigRequest {
  const {
    id: client_id,
    url,
    token,
    scheme,
    credentials,
  } = version === '1.0' ? fromV1(validate(configV1, config)) : fromV03(validate(configV03, config));
  return validate(setPushConfigRequest, {
    form: version === '1.0' ? 'a2a-1.0' : 'a2a-0.3',
    from: 'now',
    url,
    ...(client_id === undefined ? {} : { client_id }),
    ...(token === undefined ? {} : { token }),
    // Without credentials the gateway proves itself, with a token that it signs.
    ...(scheme === undefined
      ? {}
      : { authentication: { scheme, ...(credentials === undefined ? {} : { credentials }) } }),
  });
}

function fromV1({ id: name, url, token, authentication }: z.output<typeof configV1>) {
  return { id: name, url, token, scheme: authentication?.scheme, credentials: authentication?.credentials };
}

function fromV03({ id: name, url, token, authentication }: z.output<typeof configV03>) {
  const [scheme] = authentication?.schemes ?? [];
  return { id: name, url, token, scheme, credentials: authentication?.credentials };
}

const createV1 = z.looseObject({ taskId: id });
const createV03 = z.looseObject({
  taskId: id,
  pushNotificationConfig: z.custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object'),
});

/** The task and the config that a create or set request names. */
export function decodeCreate(
  version: Version,
  params: JsonObject,
): { taskId: string; config: SetPushConfigRequest } {
  if (version === '1.0') {
    const { taskId } = validate(createV1, params);
    return { taskId, config: decodePushConfig(version, params) };
  }
  const { taskId, pushNotificationConfig } = validate(createV03, params);
  return { taskId, config: decodePushConfig(version, pushNotificationConfig) };
}

const namedV1 = z.looseObject({ taskId: id, id });
const namedV03 = z.looseObject({ id, pushNotificationConfigId: text });

/** The task and the config that a get or delete request names; 0.3 may leave the config out. */
export function decodeNamed(
  version: Version,
  params: JsonObject,
): { taskId: string; configId: string | undefined } {
  if (version === '1.0') {
    const { taskId, id: configId } = validate(namedV1, params);
    return { taskId, configId };
  }
  const { id: taskId, pushNotificationConfigId: configId } = validate(namedV03, params);
  return { taskId, configId };
}

/** The task whose configs are listed. */
export function decodeListed(version: Version, params: JsonObject): string {
  return version === '1.0' ? validate(createV1, params).taskId : validate(namedV03, params).id;
}

/** A config as its client knows it; what proves the sender is never shown. */
export function encodePushConfig(version: Version, config: PushConfig): JsonObject {
  const name = config.client_id ?? config.id;
  const { task_id: taskId, url, authentication_scheme: scheme } = config;
  if (version === '1.0')
    return { id: name, taskId, url, ...(scheme === null ? {} : { authentication: { scheme } }) };
  const authentication = scheme === null ? {} : { authentication: { schemes: [scheme] } };
  return { taskId, pushNotificationConfig: { id: name, url, ...authentication } };
}
