import type { z } from 'zod';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { type CommandId, operation, type StreamId } from '#resources/operations.ts';
import {
  CLIENT_FRAMES,
  COMMAND_FRAMES,
  type CommandFrame,
  frameHead,
  STREAM_WORDS,
  type StreamWord,
  subscribeFrame,
  UNOFFERED_FRAMES,
  unsubscribeFrame,
} from './frames.ts';

/** A client frame as it is meant. */
export type ClientFrame =
  | { kind: 'ping' }
  | {
      kind: 'command';
      operation: CommandId;
      path: Record<string, string>;
      body: JsonValue | undefined;
      idempotencyKey: string | undefined;
    }
  | {
      kind: 'subscribe';
      stream: StreamId;
      path: Record<string, string>;
      query: Record<string, string>;
      cursor: string | undefined;
    }
  | { kind: 'unsubscribe'; subscription: string };

/** A text message as the JSON object that it has to be. */
export function frameOf(value: JsonValue): JsonObject {
  if (!isObject(value))
    throw new ProtocolError('invalid_request', 'Send one JSON object per message.', { param: 'frame' });
  return value;
}

/** The id an answer refers to; null when there is none that could be repeated. */
export function frameId(frame: JsonObject): string | null {
  const parsed = frameHead.shape.id.safeParse(frame['id']);
  return parsed.data ?? null;
}

/** What a frame asks for. Bodies are checked behind the gateway port, by the schema REST uses. */
export function decodeFrame(frame: JsonObject): ClientFrame {
  const { type } = check(frameHead, frame);
  if (type === 'ping') return { kind: 'ping' };
  if (type === 'subscribe') return decodeSubscribe(frame);
  if (type === 'unsubscribe')
    return { kind: 'unsubscribe', subscription: check(unsubscribeFrame, frame).subscription };
  return decodeCommand(type, frame);
}

function decodeCommand(type: string, frame: JsonObject): ClientFrame {
  const variants = COMMAND_FRAMES.filter((row) => row.type === type);
  if (variants.length === 0) throw unknownType(type);
  const named = variants.filter(({ param }) => frame[param] !== undefined);
  const [row] = named;
  if (row === undefined || named.length > 1) {
    const params = variants.map(({ param }) => param);
    const wanted = params.length === 1 ? params.join() : `exactly one of ${params.join(' and ')}`;
    throw new ProtocolError('invalid_request', `A ${type} frame names ${wanted}.`, {
      param: params[0] ?? 'type',
    });
  }
  const { param, operation, head } = row;
  const { idempotency_key: idempotencyKey, [param]: target = '' } = check(head, frame);
  return { kind: 'command', operation, path: { [param]: target }, body: bodyOf(row, frame), idempotencyKey };
}

/** Members of a command frame that are of the frame. */
const HEAD: readonly string[] = ['type', 'id', 'idempotency_key'];

/** The body REST would carry: the same bytes under the same key have to count as the same request. */
function bodyOf(
  { bodyMembers, isClosed, defaults, operation: id, param }: CommandFrame,
  frame: JsonObject,
): JsonObject | undefined {
  const others = Object.keys(frame).filter((name) => name !== param && !HEAD.includes(name));
  const members = (isClosed ? others : bodyMembers).flatMap((name) => {
    const value = frame[name] ?? (frame[name] === null ? null : defaults[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const mayBeLeftOut = operation(id).bodyRequired === false;
  return members.length === 0 && mayBeLeftOut ? undefined : Object.fromEntries(members);
}

function decodeSubscribe(frame: JsonObject): ClientFrame {
  const { stream, cursor, ...values } = check(subscribeFrame, frame) as Record<string, string>;
  const streamId = STREAM_WORDS[stream as StreamWord];
  const { path, query } = operation(streamId);
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => wanted(name)));
  return {
    kind: 'subscribe',
    stream: streamId,
    path: pick((name) => path.includes(`{${name}}`)),
    query: pick((name) => query !== undefined && name in query.shape),
    cursor,
  };
}

function unknownType(type: string): ProtocolError {
  const known = Object.keys(CLIENT_FRAMES).join(', ');
  const message = UNOFFERED_FRAMES.includes(type)
    ? `This gateway does not offer ${type} frames. It takes: ${known}.`
    : `No such frame type. The types are: ${known}.`;
  return new ProtocolError('invalid_request', message, { param: 'type' });
}

function check<Schema extends z.ZodType>(schema: Schema, frame: JsonObject): z.infer<Schema> {
  const parsed = schema.safeParse(frame);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join('.') || 'frame';
  throw new ProtocolError('invalid_request', `${param}: ${issue?.message ?? 'is invalid'}.`, { param });
}
