import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { messageFrom03 } from './proto-03.ts';
import { protoMessage } from './proto-message.ts';
import { configV1, configV03, type PushConfigGiven, pushConfigV1, pushConfigV03 } from './push-configs.ts';
import { decodeState, type HarnState } from './states.ts';

/** Absent, null and the empty string are the same in the JSON form of protocol buffers. */
const text = z
  .string()
  .max(512)
  .nullish()
  .transform((value) => (value === '' || value === null ? undefined : value));
const object = z
  .custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object')
  .nullish()
  .transform((value) => value ?? undefined);
const texts = z
  .array(z.string().max(2_048))
  .max(100)
  .nullish()
  .transform((value) => value ?? undefined);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined);
/** The JSON form of protocol buffers spells integers as numbers or as texts. */
const count = z
  .union(
    [z.int().min(0), z.string().regex(/^\d{1,9}$/, 'must be a whole number from 0 on')],
    'must be a whole number from 0 on',
  )
  .nullish()
  .transform((value) => (value === null || value === undefined ? undefined : Number(value)));
const id = z.string().min(1, 'must not be empty').max(512);
/** One digit after whole groups of four holds no byte. */
const base64 = z
  .string()
  .refine(
    (value) => /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1,
    'must be base64',
  );

const CONTENT_V1 = ['text', 'raw', 'url', 'data'] as const;

const partV1 = protoMessage({
  text: z.string().optional(),
  raw: base64.optional(),
  url: z.string().min(1).max(8_192).optional(),
  data: z.unknown().optional(),
  mediaType: text,
  filename: text,
  metadata: object,
}).refine(
  (part) => CONTENT_V1.filter((name) => part[name] !== undefined).length === 1,
  'must have exactly one of text, raw, url and data',
);

const partV03 = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('text'), text: z.string(), metadata: object }),
    z.object({
      kind: z.literal('file'),
      file: z
        .object({
          bytes: base64.optional(),
          uri: z.string().min(1).max(8_192).optional(),
          mimeType: text,
          name: text,
        })
        .refine(
          ({ bytes, uri }) => (bytes === undefined) !== (uri === undefined),
          'must have exactly one of bytes and uri',
        ),
      metadata: object,
    }),
    z.object({
      kind: z.literal('data'),
      data: z.custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object'),
      metadata: object,
    }),
  ],
  'must have kind text, file or data',
);

const messageMembers = {
  messageId: id,
  contextId: text,
  taskId: text,
  metadata: object,
  extensions: texts,
  referenceTaskIds: texts,
};

const configurationMembers = { acceptedOutputModes: texts, historyLength: count };

export const sendRequestV1 = protoMessage({
  tenant: text,
  message: protoMessage({
    ...messageMembers,
    role: z.literal('ROLE_USER', 'must be ROLE_USER'),
    parts: z.array(partV1).min(1, 'must have at least one part').max(1_000),
  }),
  configuration: protoMessage({
    ...configurationMembers,
    returnImmediately: flag,
    taskPushNotificationConfig: configV1.nullish(),
  }).nullish(),
  metadata: object,
});

export const sendRequestV03 = z.object({
  message: z.object({
    ...messageMembers,
    role: z.literal('user', 'must be user'),
    parts: z.array(partV03).min(1, 'must have at least one part').max(1_000),
  }),
  configuration: z
    .object({ ...configurationMembers, blocking: flag, pushNotificationConfig: configV03.nullish() })
    .nullish(),
  metadata: object,
});

const partProto03 = protoMessage({
  text: z.string().optional(),
  file: protoMessage({
    fileWithBytes: base64.optional(),
    fileWithUri: z.string().min(1).max(8_192).optional(),
    mimeType: text,
    name: text,
  })
    .refine(
      ({ fileWithBytes, fileWithUri }) => (fileWithBytes === undefined) !== (fileWithUri === undefined),
      'must have exactly one of fileWithBytes and fileWithUri',
    )
    .optional(),
  data: z
    .object({ data: z.custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object') })
    .optional(),
  metadata: object,
}).refine(
  ({ text: said, file, data }) => [said, file, data].filter((content) => content !== undefined).length === 1,
  'must have exactly one of text, file and data',
);

/** The same request in the JSON form of the protocol file of 0.3, for HTTP+JSON and gRPC. */
export const sendRequestProto03 = protoMessage(
  {
    message: protoMessage({
      messageId: id,
      contextId: text,
      taskId: text,
      role: z.literal('ROLE_USER', 'must be ROLE_USER'),
      content: z.array(partProto03).min(1, 'must have at least one part').max(1_000),
      metadata: object,
      extensions: texts,
    }),
    configuration: protoMessage({
      ...configurationMembers,
      blocking: flag,
      pushNotification: configV03.nullish(),
    }).nullish(),
    metadata: object,
  },
  { message: 'request' },
);

/** What a client sends, in the words of neither version. */
export interface SendRequest {
  messageId: string;
  contextId: string | undefined;
  taskId: string | undefined;
  /** Parts as they came: both spellings are read by `decodePart`. */
  parts: JsonValue[];
  /** What the message and the request carry besides, for `metadata.a2a` of the Harn Message. */
  kept: JsonObject;
  historyLength: number | undefined;
  /** False: answer at once with the accepted Task. */
  waits: boolean;
  push: PushConfigGiven | undefined;
}

export function fromV1({ message, configuration, metadata }: z.output<typeof sendRequestV1>): SendRequest {
  const config = configuration?.taskPushNotificationConfig;
  return {
    ...common(message, configuration?.acceptedOutputModes, metadata),
    historyLength: configuration?.historyLength,
    waits: configuration?.returnImmediately !== true,
    push: config ? pushConfigV1(config, 'configuration.taskPushNotificationConfig') : undefined,
  };
}

/** Servers of 0.3 wait unless they are asked not to. */
export function fromV03({ message, configuration, metadata }: z.output<typeof sendRequestV03>): SendRequest {
  const config = configuration?.pushNotificationConfig;
  return {
    ...common(message, configuration?.acceptedOutputModes, metadata),
    historyLength: configuration?.historyLength,
    waits: configuration?.blocking !== false,
    push: config ? pushConfigV03(config, 'configuration.pushNotificationConfig') : undefined,
  };
}

/** The protocol file has no word for an unset flag: where a configuration stands, what it does not say is false. */
export function fromProto03({
  message,
  configuration,
  metadata,
}: z.output<typeof sendRequestProto03>): SendRequest {
  const config = configuration?.pushNotification;
  const { parts } = messageFrom03({ content: message.content as unknown as JsonValue[] });
  const read = { ...message, parts: parts as unknown as AnyMessage['parts'], referenceTaskIds: undefined };
  return {
    ...common(read, configuration?.acceptedOutputModes, metadata),
    historyLength: configuration?.historyLength || undefined,
    waits: configuration == null || configuration.blocking === true,
    push: config ? pushConfigV03(config, 'configuration.pushNotification') : undefined,
  };
}

type AnyMessage = z.output<typeof sendRequestV1>['message'] | z.output<typeof sendRequestV03>['message'];

function common(
  { messageId, contextId, taskId, parts, metadata, extensions, referenceTaskIds }: Omit<AnyMessage, 'role'>,
  modes: string[] | undefined,
  requestMetadata: JsonObject | undefined,
): Pick<SendRequest, 'messageId' | 'contextId' | 'taskId' | 'parts' | 'kept'> {
  const request = {
    ...(modes === undefined ? {} : { accepted_output_modes: modes }),
    ...(requestMetadata === undefined ? {} : { metadata: requestMetadata }),
  };
  const kept: JsonObject = {
    message_id: messageId,
    ...(metadata === undefined ? {} : { metadata }),
    ...(extensions === undefined ? {} : { extensions }),
    ...(referenceTaskIds === undefined ? {} : { reference_task_ids: referenceTaskIds }),
    ...(Object.keys(request).length === 0 ? {} : { request }),
  };
  return { messageId, contextId, taskId, parts: parts as unknown as JsonValue[], kept };
}

/** GetTask, CancelTask and SubscribeToTask, in both versions. */
export const taskRequest = protoMessage({ tenant: text, id, historyLength: count, metadata: object });
export type TaskRequest = z.output<typeof taskRequest>;

/** No state, and the word of protocol buffers for it, are the same. */
const state = text.transform((word, context): HarnState | undefined => {
  if (word === undefined || word === 'TASK_STATE_UNSPECIFIED') return undefined;
  const found = decodeState(word);
  if (found.known) return found.word;
  context.addIssue('must be a task state such as TASK_STATE_WORKING');
  return undefined;
});

const MAX_PAGE = 100;
const PAGE = 50;

export const listRequest = protoMessage({
  tenant: text,
  contextId: text,
  status: state,
  pageSize: z
    .union([z.int(), z.string().regex(/^\d{1,9}$/, 'must be a whole number')], 'must be a whole number')
    .nullish()
    .transform((value) => (value === null || value === undefined ? PAGE : Number(value)))
    .refine((value) => value >= 1 && value <= MAX_PAGE, `must be from 1 to ${MAX_PAGE}`),
  pageToken: text,
  historyLength: count,
  statusTimestampAfter: text.pipe(
    z.iso
      .datetime({ offset: true, error: 'must be an RFC 3339 time such as 2026-01-31T12:00:00Z' })
      .optional(),
  ),
  includeArtifacts: z
    .union([z.boolean(), z.enum(['true', 'false'], 'must be true or false')], 'must be true or false')
    .nullish()
    .transform((value) => value === true || value === 'true'),
});
export type ListRequest = z.output<typeof listRequest>;

export const cardRequest = protoMessage({ tenant: text });

/** The JSON-RPC 2.0 envelope. */
export const rpcEnvelope = z.object({
  jsonrpc: z.literal('2.0', 'must be "2.0"'),
  method: z.string('must be a text').max(128),
  id: z.union([z.string().max(512), z.number(), z.null()], 'must be a text, a number or null').optional(),
  params: z.custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object').optional(),
});
