import type { JsonValue } from './json.ts';
import type { Failure } from './task-states.ts';

/** One step of a tool call. Input and output are recorded once; events and receipts hold their hashes. */
export type ToolStep = ToolName &
  (
    | {
        step: 'requested';
        input: JsonValue;
        /** SHA-256 of the definition the call was made by. */
        definitionSha256?: string;
        /** What the call may do, in the words of the policy. */
        sideEffect?: string;
      }
    /** `progress` of `total` steps, in whatever unit the tool counts. */
    | { step: 'progress'; progress?: number; total?: number; message?: string }
    | { step: 'completed'; output: JsonValue }
    | { step: 'failed'; failure: Failure; output?: JsonValue }
  );

export interface ToolName {
  /** Unique per task. */
  toolCallId: string;
  name: string;
  /** The MCP server it is a tool of; left out for a tool of the agent's own. */
  server?: string;
}
