import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { errorResponse } from '#resources/discovery/schema.ts';
import { event } from '#resources/event/schema.ts';
import {
  type CommandId,
  type IdsOfKind,
  OPERATIONS,
  type OperationRow,
  type StreamId,
} from '#resources/operations.ts';
import { permissionRequest } from '#resources/permission/schema.ts';

/**
 * The frames of the WebSocket profile, one schema per frame type. The Agents Protocol names what they must
 * carry and leaves their form open; README.md has it. Client frames that are commands are made from rows of the operations table.
 */

/** The operation that opens a socket for many subscriptions. */
export const OPEN_SOCKET: IdsOfKind<'socket'> = 'openWebSocket';
/** Prefix of the subprotocol that carries the credential of a browser page. */
export const WS_BEARER_PREFIX = 'harn.bearer.';

/** One way a client frame is meant: the path parameter of the operation distinguishes frames of one type. */
export interface CommandFrameRow {
  type: string;
  operation: string;
  /** Members that may be left out. */
  defaults?: Readonly<Record<string, string>>;
}

/** A new command frame is one row here: its members are the path parameter and the body of the operation. */
const COMMAND_ROWS = [
  { type: 'user_message', operation: 'appendSessionMessage' },
  { type: 'user_message', operation: 'appendTaskMessage', defaults: { kind: 'input' } },
  { type: 'cancel', operation: 'cancelTask' },
  { type: 'truncate', operation: 'truncateSession' },
  { type: 'respond', operation: 'appendTaskMessage', defaults: { kind: 'input' } },
  { type: 'respond', operation: 'respondPermissionRequest' },
  { type: 'client_attach', operation: 'attachSessionClient' },
  { type: 'client_takeover', operation: 'takeoverSessionClient' },
  { type: 'client_detach', operation: 'detachSessionClient' },
  { type: 'client_heartbeat', operation: 'heartbeatSessionClient' },
] as const satisfies readonly CommandFrameRow[];

/** A row of a frame whose operation is offered, with what it takes from the operation. */
export interface CommandFrame {
  type: string;
  operation: CommandId;
  /** Name of the member that fills the path. */
  param: string;
  /** Members that make the body. */
  bodyMembers: readonly string[];
  /** Whether the body takes these members only: others are handed on, to be refused by name. */
  isClosed: boolean;
  defaults: Readonly<Record<string, string>>;
  schema: z.ZodType;
  /** The members that are not the body's: its own schema checks that one. */
  head: z.ZodType<Record<string, string | undefined>>;
}

/** Streams by the word of a subscribe frame. */
export const STREAM_WORDS = {
  task: 'streamTaskEvents',
  session: 'streamSessionEvents',
  events: 'streamEvents',
} as const satisfies Record<string, StreamId>;
export type StreamWord = keyof typeof STREAM_WORDS;

const identifier = z.string().min(1).max(200);
const id = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('Chosen by the client; its ack or error carries it.');

/** What every client frame has. */
export const frameHead = z.object({ type: z.string(), id });

/** What every command frame has besides. */
const command = {
  id,
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Shared with REST: the same key, target and body give the same answer there.'),
};

export const COMMAND_FRAMES: readonly CommandFrame[] = COMMAND_ROWS.flatMap((row) => {
  const operation = (OPERATIONS as Record<string, OperationRow>)[row.operation];
  return operation === undefined ? [] : [commandFrame(row, operation)];
});

/** Frame types whose operation this version does not offer; none once the whole surface is served. */
export const UNOFFERED_FRAMES: readonly string[] = COMMAND_ROWS.map(({ type }) => type).filter((type) =>
  COMMAND_FRAMES.every((frame) => frame.type !== type),
);

function commandFrame(row: CommandFrameRow, { path, body }: OperationRow): CommandFrame {
  const param = /\{(\w+)\}/.exec(path)?.[1];
  if (param === undefined || !(body instanceof z.ZodObject))
    throw new Error(`${row.operation} has no path parameter or no object body: it cannot be a frame`);
  const defaults = row.defaults ?? {};
  const shape = Object.entries(body.shape as z.ZodRawShape).map(([name, schema]) => {
    const fallback = defaults[name];
    return [name, fallback === undefined ? schema : (schema as z.ZodType).default(fallback)] as const;
  });
  const members = { ...command, [param]: identifier };
  const all = { type: z.literal(row.type), ...members, ...Object.fromEntries(shape) };
  const isClosed = body.def.catchall instanceof z.ZodNever;
  return {
    type: row.type,
    operation: row.operation as CommandId,
    param,
    bodyMembers: shape.map(([name]) => name),
    isClosed,
    defaults,
    schema: isClosed ? z.strictObject(all) : z.object(all),
    head: z.object(members),
  };
}

const subscribeHead = {
  type: z.literal('subscribe'),
  id,
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe('Event id to go on after; the events missed come with `replayed`.'),
};
export const subscribeFrame = z
  .discriminatedUnion('stream', [subscribeTo('task'), subscribeTo('session'), subscribeTo('events')])
  .meta({ id: 'WsSubscribeFrame' });

/** The members are the path parameters and the filters of the stream's row. */
function subscribeTo(word: StreamWord): z.ZodObject {
  const row: OperationRow = OPERATIONS[STREAM_WORDS[word]];
  const params = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, identifier] as const);
  const members = { ...Object.fromEntries(params), ...row.query?.shape };
  return z.object({ ...subscribeHead, stream: z.literal(word), ...members });
}

export const unsubscribeFrame = z
  .object({ type: z.literal('unsubscribe'), id, subscription: identifier })
  .meta({ id: 'WsUnsubscribeFrame' });

const pingFrame = z.object({ type: z.literal('ping'), id }).meta({ id: 'WsPingFrame' });

/** Every frame a client may send, by type. */
export const CLIENT_FRAMES: Readonly<Record<string, z.ZodType>> = {
  ...commandSchemas(),
  subscribe: subscribeFrame,
  unsubscribe: unsubscribeFrame,
  ping: pingFrame,
};

function commandSchemas(): Record<string, z.ZodType> {
  const types = [...new Set(COMMAND_FRAMES.map(({ type }) => type))];
  return Object.fromEntries(
    types.map((type) => {
      const [first, ...more] = COMMAND_FRAMES.filter((frame) => frame.type === type).map(
        ({ schema }) => schema,
      );
      if (first === undefined) throw new Error(`${type} has no variant`);
      return [type, z.union([first, ...more]).meta({ id: `Ws${pascal(type)}Frame` })];
    }),
  );
}

function pascal(type: string): string {
  return type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const [firstFrame, ...otherFrames] = Object.values(CLIENT_FRAMES);
export const clientFrame = z.union([firstFrame ?? pingFrame, ...otherFrames]).meta({ id: 'WsClientFrame' });

const subscription = z
  .string()
  .describe('Name of the subscription: `task:<id>`, `session:<id>` or `events`.');
const replayed = z.boolean().describe('True for what was recorded before the subscription began.');

const eventFrame = z
  .object({ type: z.literal('event'), subscription, replayed, event })
  .meta({ id: 'WsEventFrame' });

const QUESTION_KINDS = ['input', 'authorization', 'approval'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** Follows the event frame that asks. Questions of the past come only when they are still open. */
const requestFrame = z
  .object({
    type: z.literal('request'),
    subscription,
    replayed,
    request: z.object({
      kind: z.enum(QUESTION_KINDS),
      event_id: z.string(),
      task_id: z.string().nullable(),
      session_id: z.string().nullable(),
      request_id: z.string().nullable().describe('Permission request to respond to; null: answer the Task.'),
      permission_request: permissionRequest.nullable(),
    }),
  })
  .meta({ id: 'WsRequestFrame' });
export type RequestFrame = z.infer<typeof requestFrame>;

const ackFrame = z
  .object({
    type: z.literal('ack'),
    id: z.string().nullable(),
    status: z.int().describe('The status REST answers with.'),
    repeated: z.boolean().describe('True when a stored answer was given again (idempotency_key).'),
    subscription: subscription.nullable(),
    cursor: z.string().nullable().describe('Where the subscription stands; null outside of subscriptions.'),
    resource: jsonObject.nullable(),
  })
  .meta({ id: 'WsAckFrame' });
export type AckFrame = z.infer<typeof ackFrame>;

const errorFrame = z
  .object({
    type: z.literal('error'),
    id: z
      .string()
      .nullable()
      .describe('Frame that failed; null when the error is of the socket or a stream.'),
    subscription: subscription.nullable(),
    error: errorResponse.shape.error,
  })
  .meta({ id: 'WsErrorFrame' });

const heartbeatFrame = z
  .object({
    type: z.literal('heartbeat'),
    cursors: z.record(z.string(), z.string()).describe('Cursor of every subscription; resume from there.'),
  })
  .meta({ id: 'WsHeartbeatFrame' });
export type HeartbeatFrame = z.infer<typeof heartbeatFrame>;

const END_REASONS = ['complete', 'draining', 'unauthenticated', 'failed'] as const;
const endFrame = z
  .object({
    type: z.literal('end'),
    subscription,
    reason: z.enum(END_REASONS),
    cursor: z.string(),
    retry_after_ms: z
      .int()
      .nullable()
      .describe('When to come back; null when there is nothing more to come.'),
  })
  .meta({ id: 'WsEndFrame' });
export type EndFrame = z.infer<typeof endFrame>;

export const serverFrame = z
  .discriminatedUnion('type', [eventFrame, requestFrame, ackFrame, errorFrame, heartbeatFrame, endFrame])
  .meta({ id: 'WsServerFrame' });
