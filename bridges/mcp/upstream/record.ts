import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import type { Frame } from '../../../src/upstream.ts';

/** What every record of a call says, so that its interpretation needs no configuration. */
export interface CallFacts {
  call_id: string;
  server: string;
  tool: string;
}

/** A frame body of this bridge: what happened to one tool call. Raw members of the wire are kept as they came. */
export type McpRecord =
  /** The call is about to be sent. */
  | (CallFacts & {
      type: 'request';
      input: JsonObject;
      definition_sha256: string;
      side_effect: string;
      protocol: 'mcp';
    })
  /** The call waits for a permission before anything is sent. */
  | (CallFacts & { type: 'held'; input: JsonObject; reason: 'operator' | 'changed_definition'; url?: string })
  /** The gateway was restarted while the call was held; nothing has changed. */
  | { type: 'still_held' }
  /** The gateway does not send it: the input names no tool, or does not fit its schema. */
  | { type: 'refused'; param: string; message: string; reason: 'input' | 'unknown_tool' }
  | (CallFacts & { type: 'progress'; params: JsonObject; dropped: number })
  | (CallFacts & { type: 'log'; params: JsonObject })
  /** The server asks the caller something. */
  | (CallFacts & { type: 'asked'; request_id: string; params: JsonObject })
  /** The server asked for something it does not get. */
  | (CallFacts & { type: 'declined'; method: string; reason: string })
  | (CallFacts & {
      type: 'result';
      result: JsonObject;
      on_error: 'fail' | 'complete';
      /** Why `structuredContent` does not fit the output schema. */
      output_fault?: string;
    })
  | (CallFacts & { type: 'error'; error: { code: number; message: string; data?: JsonValue } })
  /** The call was given up for the caller; what the server did is unknown. */
  | (CallFacts & { type: 'canceled' });

export type RecordType = McpRecord['type'];

const TYPES: { readonly [Type in RecordType]: true } = {
  request: true,
  held: true,
  still_held: true,
  refused: true,
  progress: true,
  log: true,
  asked: true,
  declined: true,
  result: true,
  error: true,
  canceled: true,
};

/** A record as a frame. `label` names it in the override key; before `request` nothing has left the gateway. */
export function frameOf(record: McpRecord, label?: string): Frame {
  const isUnsent = record.type === 'held' || record.type === 'still_held' || record.type === 'refused';
  return {
    kind: 'message',
    body: record as unknown as JsonValue,
    ...(label === undefined ? {} : { label }),
    ...(isUnsent ? { unsent: true } : {}),
  };
}

/** The record of a frame body; undefined when it is none (an override may put anything there). */
export function asRecord(body: JsonValue): McpRecord | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { type } = body;
  return typeof type === 'string' && Object.hasOwn(TYPES, type) ? (body as unknown as McpRecord) : undefined;
}
