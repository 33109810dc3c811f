import type { ToolCallStatus } from '@agentclientprotocol/sdk';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import { wordTable } from '../table.ts';

/** How far a tool call is, in the words of Harn events: `tool.requested`, `tool.completed`, `tool.failed`. */
type ToolPhase = 'requested' | 'completed' | 'failed' | 'denied';

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

/**
 * Where agents say which tool a call is of, best first; the title shows a person what is done. Source: recorded frames of
 * the agents in fixtures/wire/acp.
 */
const NAME_AT = [['name'], ['_meta', 'claudeCode', 'toolName'], ['title'], ['kind']] as const;

/** The name of the tool of a call; undefined when the agent says nothing about it here. */
export function toolNameOf(call: JsonObject): string | undefined {
  for (const [last, ...path] of NAME_AT.map((at) => at.toReversed())) {
    const holder = path.reduceRight((value, name) => objectOf(value[name]), call);
    const name = textOf(holder[last ?? '']);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Members of `_meta` in which agents send what a command of their own prints, to be appended to what came before. */
const PRINTED_AT = ['terminal_output', 'terminal_output_delta'] as const;

/** What the command of a tool call has printed since the update before; ACP v1 has no word for terminals of agents. */
export function printedIn(update: JsonObject): string {
  const meta = objectOf(update['_meta']);
  return PRINTED_AT.map((name) => objectOf(meta[name])['data'])
    .filter((data) => typeof data === 'string')
    .join('');
}
