import { createHash } from 'node:crypto';
import type { HoldReason } from '#protocol/autonomy.ts';
import type { JudgedTool } from '#protocol/intended-call.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { DescribedSkill } from '#upstream.ts';
import { isDeclared, type SideEffect, sideEffectOf } from '../../../mappings/mcp/side-effects.ts';
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
  /** Whether the server says anything of it, or is not believed anyway. */
  isDeclared: boolean;
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
    isDeclared: isDeclared(annotations, trust),
    definitionSha256,
    pinnedSha256: definitionSha256,
    isGone: false,
  };
}

export function isAllowed(name: string, { tools = {} }: McpUpstreamConfig): boolean {
  const { allow, deny = [] } = tools;
  return (allow === undefined || allow.includes(name)) && !deny.includes(name);
}

/** Why calls of the tool wait for a permission in every tier; undefined when the tier alone decides. */
export function holdReason(
  tool: Tool,
  { tools = {}, changed_tools }: McpUpstreamConfig,
): HoldReason | undefined {
  if (tools.approve?.includes(tool.name)) return 'operator';
  if (changed_tools === 'hold' && isChanged(tool)) return 'changed_definition';
  return undefined;
}

/** A tool that was not listed yet says nothing of itself. */
export function judgedUnknown(name: string, { tools = {}, trust = true }: McpUpstreamConfig): JudgedTool {
  const isHeld = tools.approve?.includes(name) === true;
  return { sideEffect: 'destructive', isDeclared: !trust, ...(isHeld ? { hold: 'operator' } : {}) };
}

export function isChanged(tool: Tool): boolean {
  return tool.definitionSha256 !== tool.pinnedSha256;
}

/** On the revisions with sessions a call becomes a task only when its caller says so; some tools can be called no other way. */
export function needsTask({ raw }: Tool, capabilities: JsonObject): boolean {
  const { tools } = objectOf(objectOf(capabilities['tasks'])['requests']);
  return objectOf(raw['execution'])['taskSupport'] === 'required' && objectOf(tools)['call'] !== undefined;
}

/** A tool as readers see it. `shown`: its definition as it may be shown; its hash is over the definition as it came. */
export function describeTool(tool: Tool, config: McpUpstreamConfig, shown: JsonObject): DescribedSkill {
  const { sideEffect } = tool;
  const hold = holdReason(tool, config);
  return {
    id: tool.name,
    name: tool.name,
    description: visibleText(shown['description']),
    tags: ['mcp', sideEffect],
    tool: {
      inputSchema: objectOf(shown['inputSchema']),
      outputSchema: tool.outputSchema === null ? null : objectOf(shown['outputSchema']),
      definitionSha256: tool.definitionSha256,
      requiresApproval: hold !== undefined,
      judged: { sideEffect, isDeclared: tool.isDeclared, ...(hold === undefined ? {} : { hold }) },
      deprecated: tool.isGone,
      metadata: {
        side_effect: sideEffect,
        definition_changed: isChanged(tool),
        ...(isChanged(tool) ? { pinned_sha256: tool.pinnedSha256 } : {}),
        mcp: { tool: shown },
      },
    },
  };
}
