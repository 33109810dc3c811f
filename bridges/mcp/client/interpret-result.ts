import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { DraftPart, MessageDraft, Move } from '#upstream.ts';
import { partOfBlock } from '../../../mappings/mcp/content.ts';
import { objectOf } from '../object-of.ts';
import { FIXED_LIMITS } from './config.ts';
import type { McpRecord } from './record.ts';

type ResultRecord = Extract<McpRecord, { type: 'result' }>;

const MAX_REASON = 2_000;

/** The result of a call: a message with one `tool_result` part and a part for each content block, and how it ended. */
export function resultMoves(record: ResultRecord): Move[] {
  const { call_id, server, tool, result, on_error, output_fault } = record;
  const isError = result['isError'] === true;
  const message = messageOf(record, isError);
  const name = { toolCallId: call_id, name: tool, server };
  const violation: Move[] =
    output_fault === undefined
      ? []
      : [{ type: 'note', note: 'output_schema_violation', details: { output_fault } }];
  if (!isError) {
    return [
      { type: 'tool', tool: { ...name, step: 'completed', output: result } },
      ...violation,
      { type: 'status', to: 'COMPLETED', message },
    ];
  }
  const failure = failureOf(result);
  return [
    { type: 'tool', tool: { ...name, step: 'failed', failure, output: result } },
    on_error === 'complete'
      ? { type: 'status', to: 'COMPLETED', message }
      : { type: 'status', to: 'FAILED', message, failure },
  ];
}

function failureOf(result: JsonObject): Failure {
  const said = textOf(result['content']).slice(0, MAX_REASON);
  return {
    code: 'tool_error',
    type: 'runtime_error',
    message: said === '' ? 'The tool failed without saying why.' : said,
  };
}

function messageOf({ call_id, result }: ResultRecord, isError: boolean): MessageDraft {
  const { content, structuredContent, isError: _flag, ...rest } = result;
  const blocks = Array.isArray(content) ? content : [];
  const facts = {
    ...(Object.keys(rest).length === 0 ? {} : { result: rest }),
    ...(structuredContent === undefined ? {} : { structured: true }),
  };
  const toolResult: DraftPart = {
    type: 'tool_result',
    tool_call_id: call_id,
    output: structuredContent ?? blocks.map(describedBlock),
    status: isError ? 'error' : 'ok',
    visibility: 'public',
    ...(Object.keys(facts).length === 0 ? {} : { metadata: { mcp: facts } }),
  };
  return { role: 'agent', parts: [toolResult, ...blocks.map(partOfBlock)] };
}

/** A block inside the output: bytes and long texts are named by their hash, as they stand in parts of their own. */
function describedBlock(block: JsonValue): JsonValue {
  const { data, resource, ...plain } = objectOf(block);
  const held = objectOf(resource);
  return {
    ...shortened(plain),
    ...(data === undefined ? {} : { data: described(data) }),
    ...(resource === undefined ? {} : { resource: shortened(held) }),
  };
}

function shortened(block: JsonObject): JsonObject {
  const long = (name: string, value: JsonValue) =>
    (name === 'text' || name === 'blob') &&
    typeof value === 'string' &&
    (name === 'blob' || value.length > FIXED_LIMITS.inlineResultBytes);
  return Object.fromEntries(
    Object.entries(block).map(([name, value]) => [name, long(name, value) ? described(value) : value]),
  );
}

function described(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { sha256: createHash('sha256').update(text).digest('hex'), chars: text.length };
}

function textOf(content: JsonValue | undefined): string {
  const blocks = Array.isArray(content) ? content.map(objectOf) : [];
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}
