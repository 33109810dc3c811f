import type { HoldReason } from '#protocol/autonomy.ts';
import type { JudgedTool } from '#protocol/intended-call.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { DescribedSkill } from '#protocol-client.ts';
import { isDeclared, type SideEffect, sideEffectOf } from '../../../mappings/mcp/side-effects.ts';
import { sha256 } from '../../wire/sha256.ts';
import type { McpClientConfig } from './config.ts';

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
  /** That definition as it may be shown; undefined where it is the present one, or is not known any more. */
  pinned?: JsonObject | undefined;
  /** Listed once, and no longer. */
  isGone: boolean;
}

/** Turns a listed definition into a tool; undefined for one that has no name or no object schema. */
export function toolOf(
  raw: JsonValue,
  { trust = true }: McpClientConfig,
  spell: (value: JsonValue) => string,
): Tool | undefined {
  const definition = objectOf(raw);
  const { name, annotations } = definition;
  if (typeof name !== 'string' || !/^[!-~]{1,128}$/.test(name)) return undefined;
  const definitionSha256 = `sha256:${sha256(spell(definition))}`;
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

export function isAllowed(name: string, { tools = {} }: McpClientConfig): boolean {
  const { allow, deny = [] } = tools;
  return (allow === undefined || allow.includes(name)) && !deny.includes(name);
}

/** Why calls of the tool wait for a permission in every tier; undefined when the tier alone decides. */
export function holdReason(
  tool: Tool,
  { tools = {}, changed_tools }: McpClientConfig,
): HoldReason | undefined {
  if (tools.approve?.includes(tool.name)) return 'operator';
  if (changed_tools === 'hold' && isChanged(tool)) return 'changed_definition';
  return undefined;
}

/** A tool that was not listed yet says nothing of itself. */
export function judgedUnknown(name: string, { tools = {}, trust = true }: McpClientConfig): JudgedTool {
  const isHeld = tools.approve?.includes(name) === true;
  return { sideEffect: 'destructive', isDeclared: !trust, ...(isHeld ? { hold: 'operator' } : {}) };
}

function isChanged(tool: Tool): boolean {
  return tool.definitionSha256 !== tool.pinnedSha256;
}

/** On the revisions with sessions a call becomes a task only when its caller says so; some tools can be called no other way. */
export function needsTask({ raw }: Tool, capabilities: JsonObject): boolean {
  const { tools } = objectOf(objectOf(capabilities['tasks'])['requests']);
  return objectOf(raw['execution'])['taskSupport'] === 'required' && objectOf(tools)['call'] !== undefined;
}

/** A tool as readers see it. `shown`: its definition as it may be shown; its hash is over the definition as it came. */
export function describeTool(tool: Tool, config: McpClientConfig, shown: JsonObject): DescribedSkill {
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
        mcp: {
          tool: shown,
          ...(isChanged(tool) && tool.pinned !== undefined ? { pinned_tool: tool.pinned } : {}),
        },
      },
    },
  };
}

/** Code points that models read and people do not see, from and to. */
const HIDDEN = [
  // Control characters but tab and line feed; terminal sequences begin with one.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  // Zero-width, directions and invisible operators.
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  // Tags and variation selectors.
  [0xe0000, 0xe01ef],
] as const;

/** Longest description that is shown; the definition as it came has all of it. */
const MAX_CHARS = 8_192;

/** What a server says of itself without what people would not see, cut where it is too long. */
export function visibleText(text: unknown): string {
  if (typeof text !== 'string') return '';
  return [...text.slice(0, MAX_CHARS)].filter((character) => !isHidden(character)).join('');
}

function isHidden(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return HIDDEN.some(([from, to]) => point >= from && point <= to);
}

/** Keyword by which a server wants an argument sent in a header too. */
const KEYWORD = 'x-mcp-header';
/** Types whose values are spelled the same by everybody; a number is not. */
const PRIMITIVES = ['string', 'integer', 'boolean'];
/** Spec: RFC 9110, "Tokens". */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Keywords whose values are data and no schemas. */
const DATA = ['const', 'default', 'enum', 'examples', 'required'];

/**
 * What is wrong with the headers that a tool wants of its arguments; undefined when nothing is. A client must not use a tool
 * of which anything is wrong. Spec: MCP 2026-07-28, "Streamable HTTP", `x-mcp-header`.
 */
export function headerFault(inputSchema: JsonValue): string | undefined {
  const names = new Set<string>();
  const visit = (schema: JsonValue | undefined, path: string, isArgument: boolean): string | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if (Array.isArray(schema))
      return first(schema.map((item, at) => () => visit(item, `${path}/${at}`, false)));
    const fault = KEYWORD in schema ? faultOf(schema, isArgument && path !== '', names) : undefined;
    if (fault !== undefined) return `inputSchema${path}: ${fault}`;
    const { properties, ...others } = schema;
    const inner = Object.entries(others).filter(([word]) => word !== KEYWORD && !DATA.includes(word));
    return first([
      ...Object.entries(objectOf(properties)).map(
        ([name, child]) =>
          () =>
            visit(child, `${path}/properties/${name}`, isArgument),
      ),
      ...inner.map(
        ([word, child]) =>
          () =>
            visit(child, `${path}/${word}`, false),
      ),
    ]);
  };
  return visit(inputSchema, '', true);
}

function faultOf(
  schema: { [name: string]: JsonValue },
  isArgument: boolean,
  names: Set<string>,
): string | undefined {
  const { [KEYWORD]: name, type } = schema;
  if (!isArgument) return `${KEYWORD} stands at no argument`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${KEYWORD} is no name of a header`;
  if (typeof type !== 'string' || !PRIMITIVES.includes(type))
    return `${KEYWORD} stands at no string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${KEYWORD} names a header twice`;
  names.add(name.toLowerCase());
  return undefined;
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}
