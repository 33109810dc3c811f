import type { ToolCallStatus } from '@agentclientprotocol/sdk';
import { wordTable } from '../table.ts';

/** How far a tool call is, in the words of Harn events: `tool.requested`, `tool.completed`, `tool.failed`. */
export type ToolPhase = 'requested' | 'completed' | 'failed' | 'denied';

/** Spec: ACP v1, "Tool Calls", status. */
export const TOOL_STATUSES = wordTable<ToolPhase, ToolCallStatus>()({
  toForeign: {
    requested: { to: 'pending', loses: 'nothing: a call that runs is sent again as in_progress' },
    completed: 'completed',
    failed: 'failed',
    denied: { to: 'failed', loses: 'that somebody said no; ACP v1 has no word for it' },
  },
  fromForeign: {
    pending: 'requested',
    in_progress: { to: 'requested', loses: 'whether the call runs already' },
    completed: 'completed',
    failed: 'failed',
  },
  aliases: { cancelled: 'failed', canceled: 'failed', error: 'failed', running: 'in_progress' },
});
