import type { TaskStatus } from '#protocol/task-states.ts';
import { wordTable } from '../table.ts';

/** A Harn task state; `TOOL_ERROR` is a FAILED Task whose tool ran and said that it failed (failure.code `tool_error`). */
export type HarnTaskState = TaskStatus | 'TOOL_ERROR';

export type McpTaskState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Whose failure it was: MCP calls a task completed whose tool says that it failed, and says so in the result. */
const WHO_FAILED = 'that it failed: `isError` of the inlined result says so';
const WAITS = 'that it waits for a permission: `statusMessage` says so';

/** Spec: MCP extension io.modelcontextprotocol/tasks (SEP-2663), Task.status; the same words as in MCP 2025-11-25. */
export const TASK_STATES = wordTable<HarnTaskState, McpTaskState>()({
  toForeign: {
    SUBMITTED: { to: 'working', loses: 'that it has not started yet' },
    WORKING: 'working',
    INPUT_REQUIRED: 'input_required',
    AUTH_REQUIRED: { to: 'working', loses: WAITS },
    COMPLETED: 'completed',
    FAILED: 'failed',
    TOOL_ERROR: { to: 'completed', loses: WHO_FAILED },
    CANCELED: 'cancelled',
  },
  fromForeign: {
    working: 'WORKING',
    input_required: 'INPUT_REQUIRED',
    completed: 'COMPLETED',
    failed: 'FAILED',
    cancelled: 'CANCELED',
  },
  aliases: { canceled: 'cancelled' },
});
