import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { AskedInput } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';
import type { SchemaChecks } from './schema-check.ts';
import type { Tool } from './tools.ts';

/** What a turn asks for, as the caller named it. */
export interface AskedCall {
  callId: string;
  /** The tool as the caller names it: its own name, or the Skill's. */
  name: string;
  input: JsonObject;
  /** Where the name and the input stand in what the caller sent, for refusals. */
  params: { name: string; input: string };
}

/** The input of a task cannot be a call of this server. The message says what to send instead. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly param: string;
  readonly reason: 'input' | 'unknown_tool';

  constructor(param: string, message: string, reason: 'input' | 'unknown_tool' = 'input') {
    super(message);
    this.param = param;
    this.reason = reason;
  }
}

const HOW =
  'Send one tool_call part, or the JSON {"skill_id": "<skill>", "input": {...}}; GET /v1/skills lists the Skills.';

/**
 * Reads the call out of a message: a `tool_call` part; JSON with `skill_id` and `input`; or, on the route of a Skill, JSON
 * that is its input. JSON may come as a json part or as text. Throws Refusal.
 */
export function readCall(
  { parts, skillId }: AskedInput,
  taskId: string,
  parseJson: (text: string) => JsonValue,
): AskedCall {
  const calls = parts.flatMap((part, at) => (part.type === 'tool_call' ? [{ part, at }] : []));
  if (calls.length > 1)
    throw new Refusal('input.parts', 'One task runs one tool_call. Submit one task each.');
  const [call] = calls;
  if (call !== undefined) {
    const { tool_call_id, name, input } = call.part;
    const at = `input.parts[${call.at}]`;
    return { callId: tool_call_id, name, input, params: { name: `${at}.name`, input: `${at}.input` } };
  }
  return callOfJson(jsonOf(parts, parseJson), callIdOf(taskId), skillId);
}

function callOfJson(given: JsonObject | undefined, callId: string, skillId: string | undefined): AskedCall {
  const named = given?.['skill_id'];
  if (typeof named === 'string') {
    const input = given?.['input'] ?? {};
    if (!isObject(input)) throw new Refusal('input.input', 'input.input: must be an object.');
    return { callId, name: named, input, params: { name: 'input.skill_id', input: 'input.input' } };
  }
  if (skillId === undefined) throw new Refusal('input', `The input names no tool. ${HOW}`);
  if (given === undefined) throw new Refusal('input', `The input of a Skill is JSON. ${HOW}`);
  return { callId, name: skillId, input: given, params: { name: 'metadata.route', input: 'input' } };
}

/** Throws Refusal for an input that does not fit the schema of the tool. */
export function refuseMisfit(checks: SchemaChecks, { input, params }: AskedCall, tool: Tool): void {
  const fault = checks.of(tool.inputSchema)?.(input);
  if (fault === undefined) return;
  const param = fault.path === '' ? params.input : `${params.input}.${fault.path}`;
  throw new Refusal(param, `${param}: ${fault.message}.`);
}

/** The only JSON object of a message, in a json part or as text. */
function jsonOf(parts: readonly Part[], parseJson: (text: string) => JsonValue): JsonObject | undefined {
  const found = parts.flatMap((part) => {
    const value =
      part.type === 'json' ? part.value : part.type === 'text' ? parsed(part.text, parseJson) : null;
    return isObject(value) ? [value] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function parsed(text: string, parseJson: (text: string) => JsonValue): JsonValue {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** In the shape that model providers use. */
function callIdOf(taskId: string): string {
  return `call_${taskId.slice(taskId.indexOf('_') + 1)}`;
}
