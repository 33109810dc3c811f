import { z } from 'zod';
import { jsonValue } from '#protocol/envelope.ts';
import { MEMORY_SCOPES } from '#resources/memory/schema.ts';
import { failure } from './schema.ts';

/** A tool call of a task; the hashes are over the RFC 8785 form of what really went to and came from the tool. */
const calledTool = {
  tool_call_id: z.string(),
  name: z.string(),
  /** The MCP server it is a tool of; null for a tool of the agent's own. */
  server: z.string().nullable(),
  material: z.string(),
};

const input_sha256 = z.string();
const output_sha256 = z.string();

/** Payloads of the tool calls of a task. */
export const TOOL_EVENTS = {
  'tool.requested': z.object({
    ...calledTool,
    material: z.string().optional(),
    /** The policy kept it back: nothing was called. */
    withheld: z.literal(true).optional(),
    input: jsonValue,
    input_sha256,
    definition_sha256: z.string().optional(),
    /** What the call may do, in the words of the policy. */
    side_effect: z.string().optional(),
  }),
  /** The run was given a Memory of its Session; what it said is in the material. */
  'agent.memory_read': z.object({
    memory_id: z.string(),
    scope: z.enum(MEMORY_SCOPES),
    content_sha256: z.string(),
    material: z.string(),
  }),
  'agent.tool_use': z.object({ ...calledTool, input_sha256 }),
  'agent.mcp_tool_use': z.object({ ...calledTool, input_sha256 }),
  'tool.completed': z.object({ ...calledTool, output_sha256 }),
  'tool.failed': z.object({ ...calledTool, output_sha256: output_sha256.optional(), error: failure }),
  'agent.tool_result': z.object({
    ...calledTool,
    status: z.enum(['ok', 'error']),
    output_sha256: output_sha256.optional(),
  }),
  /** A server lists a tool for the first time, otherwise than accepted, or no longer; or the change was accepted. */
  'vendor.harn_gateway.skill_definition': z.object({
    route: z.string(),
    tool: z.string(),
    change: z.enum(['added', 'changed', 'removed', 'accepted']),
    definition_sha256: z.string(),
    pinned_sha256: z.string(),
  }),
} as const;
