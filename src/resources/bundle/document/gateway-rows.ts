import { z } from 'zod';
import { jsonObject, jsonValue } from '#protocol/envelope.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { sha256 } from '#resources/receipt/parts-schema.ts';

/** Most bytes of one event or turn: what is larger is content of an Artifact wherever it was recorded. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Version of the gateway's own record inside of a run record. */
export const GATEWAY_FORMAT = 1;

/** An Event as it was recorded, in the order of its log. */
export const eventRow = z.object({
  /** Of the RFC 8785 bytes of the event before anything was taken out of it. */
  sha256,
  /** Something in it was not for the eyes of whoever exported it. */
  concealed: z.literal(true).optional(),
  event: z.looseObject({
    id: z.string().regex(/^\d{20}$/),
    event: z.string(),
    object: z.literal('event'),
    resource: z.object({ object: z.string(), id: z.string() }),
    sequence: z.int().min(1),
    created_at: z.string(),
    payload: jsonObject,
    metadata: jsonObject,
  }),
});
export type EventRow = z.infer<typeof eventRow>;

/** A frame of an agent: replay material. */
export const frameRow = z.looseObject({
  task_id: z.string(),
  n: z.int().min(1),
  key: z.string(),
  at: z.string(),
  sha256,
  after: z.string().regex(/^\d{20}$/),
  concealed: z.literal(true).optional(),
  /** The frame itself. */
  content: jsonValue,
});
export type FrameRow = z.infer<typeof frameRow>;

/** One stored piece of the content of an Artifact. */
export const pieceRow = z.object({
  artifact_id: z.string(),
  n: z.int().min(0),
  sha256,
  encoding: z.enum(['utf8', 'base64']),
  content: z.string(),
});
export type PieceRow = z.infer<typeof pieceRow>;

/** What the gateway records of a Session beside what every run record has; lists come after it, streamed. */
export const gatewayHead = z.looseObject({
  format: z.literal(GATEWAY_FORMAT),
  session_id: z.string(),
  /** The only Task it brings; null for a whole Session. */
  task_id: z.string().nullable(),
  workspace_id: z.string(),
  issuer: z.string(),
});

/** `task` names a prompt in a bundle, here it is a resource; everything else goes by its own name. */
const RENAMED = { from: 'task', to: 'submitted' } as const;

/** An event as a bundle spells it. */
export function encodeEvent(event: JsonObject): JsonObject {
  return renamed(event, RENAMED.from, RENAMED.to);
}

/** An event as it was recorded. */
export function decodeEvent(event: JsonObject): JsonObject {
  return renamed(event, RENAMED.to, RENAMED.from);
}

function renamed(event: JsonObject, from: string, to: string): JsonObject {
  const payload = event['payload'];
  if (event['event'] !== 'task.submitted' || !isObject(payload)) return event;
  const members = Object.entries(payload).map(([name, value]) => [name === from ? to : name, value]);
  return { ...event, payload: Object.fromEntries(members) };
}
