import { z } from 'zod';
import type { JsonObject } from '#protocol/json.ts';
import { type PushConfig, type SetPushConfigRequest, setPushConfigRequest } from '#resources/push/schema.ts';
import type { Version } from './encode-task.ts';
import { refusal } from './errors-out.ts';
import { protoMessage } from './proto-message.ts';
import { placedBelow, validate } from './validate.ts';

/** Absent, null and the empty string are the same in the JSON form of protocol buffers. */
const text = z
  .string()
  .max(4_096)
  .nullish()
  .transform((value) => (value === '' || value === null ? undefined : value));
const id = z.string().min(1, 'must not be empty').max(512);

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

const members = {
  id: text.refine(
    (value) => value === undefined || NAME.test(value),
    'must be 1 to 64 letters, digits, _, . or -',
  ),
  url: z.string().min(1, 'must not be empty').max(2_048),
  token: text,
};

const configMembersV1 = {
  ...members,
  authentication: protoMessage({ scheme: id, credentials: text }).nullish(),
};
export const configV1 = protoMessage(configMembersV1);
export const configV03 = z.object({
  ...members,
  authentication: z.object({ schemes: z.array(id).min(1), credentials: text }).nullish(),
});

/** A config, and the member of its request that it stands in; empty where it is the request. */
export interface PushConfigGiven {
  config: SetPushConfigRequest;
  member: string;
}

/** What a client of 1.0 wants set, in words of the gateway. */
export function pushConfigV1(
  { id: client_id, url, token, authentication }: z.output<typeof configV1>,
  member: string,
): PushConfigGiven {
  const { scheme, credentials } = authentication ?? {};
  return decoded({ form: 'a2a-1.0', client_id, url, token, scheme, credentials }, member);
}

/** What a client of 0.3 wants set. Of several schemes the first is used. */
export function pushConfigV03(
  { id: client_id, url, token, authentication }: z.output<typeof configV03>,
  member: string,
): PushConfigGiven {
  const { schemes = [], credentials } = authentication ?? {};
  return decoded({ form: 'a2a-0.3', client_id, url, token, scheme: schemes[0], credentials }, member);
}

function decoded(
  { scheme, credentials, ...given }: Record<string, string | undefined>,
  member: string,
): PushConfigGiven {
  // Without credentials the gateway proves itself, with a token that it signs.
  const authentication = scheme === undefined ? {} : { authentication: present({ scheme, credentials }) };
  const wanted = { from: 'now', ...present(given), ...authentication };
  try {
    return { config: validate(setPushConfigRequest, wanted), member };
  } catch (error) {
    throw placedBelow(member, error);
  }
}

function present(members: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

const createV1 = protoMessage({ taskId: id, ...configMembersV1 });
const createV03 = z.object({ taskId: id, pushNotificationConfig: configV03 });

/** The protocol file of 0.3 has the config one level deeper; clients send it either way. */
const createProto03 = protoMessage({
  taskId: id,
  pushNotificationConfig: configV03.optional(),
  config: protoMessage({ pushNotificationConfig: configV03 }).optional(),
});

/** The task and the config that a create or set request of the protocol file of 0.3 names. */
export function decodeCreateProto03(params: JsonObject): { taskId: string } & PushConfigGiven {
  const { taskId, config, pushNotificationConfig: bare } = validate(createProto03, params);
  const given = config?.pushNotificationConfig ?? bare;
  if (given === undefined)
    throw refusal(
      'InvalidParams',
      'config.pushNotificationConfig is required.',
      'config.pushNotificationConfig',
    );
  const member = config === undefined ? 'pushNotificationConfig' : 'config.pushNotificationConfig';
  return { taskId, ...pushConfigV03(given, member) };
}

/** The task and the config that a create or set request names. */
export function decodeCreate(version: Version, params: JsonObject): { taskId: string } & PushConfigGiven {
  if (version === '1.0') {
    const { taskId, ...config } = validate(createV1, params);
    return { taskId, ...pushConfigV1(config, '') };
  }
  const { taskId, pushNotificationConfig } = validate(createV03, params);
  return { taskId, ...pushConfigV03(pushNotificationConfig, 'pushNotificationConfig') };
}

/** Zero is the JSON form of protocol buffers for no size. */
const size = z
  .union(
    [z.int().min(0), z.string().regex(/^\d{1,9}$/, 'must be a whole number from 0 on')],
    'must be a whole number from 0 on',
  )
  .nullish()
  .transform((value) => Number(value ?? 0));
const listedV1 = protoMessage({ taskId: id, pageSize: size, pageToken: text });
const namedV1 = protoMessage({ taskId: id, id });
const namedV03 = z.object({ id, pushNotificationConfigId: text });

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

/** The task whose configs are listed, and the page of them; 0.3 has no pages, which is size 0. */
export function decodeListed(
  version: Version,
  params: JsonObject,
): { taskId: string; pageSize: number; pageToken: string | undefined } {
  if (version === '1.0') return validate(listedV1, params);
  return { taskId: validate(namedV03, params).id, pageSize: 0, pageToken: undefined };
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
