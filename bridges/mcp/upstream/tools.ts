import { createHash } from 'node:crypto';
import { type SideEffect, sideEffectOf } from '../../../mappings/mcp/side-effects.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import type { DescribedSkill } from '../../../src/upstream.ts';
import { objectOf } from '../object-of.ts';
import type { McpUpstreamConfig } from './config.ts';
import { visibleText } from './visible-text.ts';

/** A tool as the gateway knows it. */
export interface Tool {
  name: string;
  /** As the server sent it, unknown members included. */
  raw: JsonObject;
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  sideEffect: SideEffect;
  /** `sha256:` over the RFC 8785 form of `raw`. */
  definitionSha256: string;
  /** The definition that was seen first, or accepted since. */
  pinnedSha256: string;
  /** Listed once, and no longer. */
  isGone: boolean;
}

/** Turns a listed definition into a tool; undefined for one that has no name or no object schema. */
export function toolOf(
  raw: JsonValue,
  { trust = true }: McpUpstreamConfig,
  spell: (value: JsonValue) => string,
): Tool | undefined {
  const definition = objectOf(raw);
  const { name, annotations } = definition;
  if (typeof name !== 'string' || !/^[!-~]{1,128}$/.test(name)) return undefined;
  const definitionSha256 = `sha256:${createHash('sha256').update(spell(definition)).digest('hex')}`;
  const output = objectOf(definition['outputSchema']);
  return {
    name,
    raw: definition,
    inputSchema: objectOf(definition['inputSchema']),
    outputSchema: Object.keys(output).length === 0 ? null : output,
    sideEffect: sideEffectOf(annotations, trust),
    definitionSha256,
    pinnedSha256: definitionSha256,
    isGone: false,
  };
}

export function isAllowed(name: string, { tools = {} }: McpUpstreamConfig): boolean {
  const { allow, deny = [] } = tools;
  return (allow === undefined || allow.includes(name)) && !deny.includes(name);
}

/** Why a call of the tool waits for a permission; undefined when it need not. */
export function holdReason(
  tool: Tool,
  { tools = {}, changed_tools }: McpUpstreamConfig,
): 'operator' | 'changed_definition' | undefined {
  if (tools.approve?.includes(tool.name)) return 'operator';
  if (changed_tools === 'hold' && isChanged(tool)) return 'changed_definition';
  return undefined;
}

export function isChanged(tool: Tool): boolean {
  return tool.definitionSha256 !== tool.pinnedSha256;
}

export function describeTool(tool: Tool, config: McpUpstreamConfig): DescribedSkill {
  const { raw } = tool;
  return {
    id: tool.name,
    name: tool.name,
    description: visibleText(raw['description']),
    tags: ['mcp', tool.sideEffect],
    tool: {
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      definitionSha256: tool.definitionSha256,
      requiresApproval: holdReason(tool, config) !== undefined,
      deprecated: tool.isGone,
      metadata: {
        side_effect: tool.sideEffect,
        definition_changed: isChanged(tool),
        ...(isChanged(tool) ? { pinned_sha256: tool.pinnedSha256 } : {}),
        mcp: { tool: raw },
      },
    },
  };
}
