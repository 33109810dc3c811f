import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame } from '#protocol-client.ts';

/** What every record of a call says, so that its interpretation needs no configuration. */
export interface CallFacts {
  call_id: string;
  server: string;
  tool: string;
}

/** A question that the server put into a result, and the call that it goes back with. */
export interface KeptRound {
  number: number;
  input_requests: JsonObject;
  request_state?: string;
  input: JsonObject;
  /** Of the arguments as they were sent: those of a call whose record was redacted are not sent again. */
  input_sha256: string;
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
  /** The server wants input and then the call again; with what is kept here that is possible after a restart, too. */
  | (CallFacts & { type: 'round'; round: KeptRound; resumes?: number })
  /** The answers go out with the call: from here on nobody knows what it did. */
  | (CallFacts & { type: 'answered'; resumes?: number })
  /** The server goes on by itself, as a task of its own. */
  | (CallFacts & { type: 'task'; task_id: string; resumes?: number })
  /** The gateway was restarted, and follows the call again. */
  | (CallFacts & { type: 'resumed'; what: 'task' | 'round'; resumes: number })
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

/** A record as a frame. `label` names it in the override key; before `request` nothing has left the gateway. */
export function frameOf(record: McpRecord, label?: string): Extract<Frame, { kind: 'message' }> {
  const isUnsent = record.type === 'held' || record.type === 'still_held' || record.type === 'refused';
  const isOwn = isUnsent || record.type === 'request' || record.type === 'resumed';
  return {
    kind: 'message',
    body: record as unknown as JsonValue,
    ...(label === undefined ? {} : { label }),
    ...(isUnsent ? { unsent: true } : {}),
    ...(isOwn ? { own: true } : {}),
  };
}
