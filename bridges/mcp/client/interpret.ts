import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { ToolName } from '#protocol/tool-step.ts';
import type { DraftPart, MessageDraft, Move } from '#protocol-client.ts';
import { partOfBlock } from '../../../mappings/mcp/content.ts';
import { failureOfCode, MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { sha256 } from '../../wire/sha256.ts';
import { type FaultFrame, failureOfFault, interpreter, recordIn } from '../../wire/turn.ts';
import { FIXED_LIMITS } from './config.ts';
import type { CallFacts, McpRecord, RecordType } from './record.ts';

/** Longest text of a server that is repeated in a failure or a question. */
const MAX_TEXT = 2_000;

type RecordOf<Type extends RecordType> = Extract<McpRecord, { type: Type }>;

const MOVES: { readonly [Type in RecordType]: (record: RecordOf<Type>) => Move[] } = {
  request: (record) => [
    bound(record),
    {
      type: 'tool',
      tool: {
        ...nameOf(record),
        step: 'requested',
        input: record.input,
        definitionSha256: record.definition_sha256,
        sideEffect: record.side_effect,
      },
    },
  ],
  held: heldMoves,
  still_held: () => [{ type: 'note', note: 'still_held' }],
  refused: ({ param, message }) => [
    {
      type: 'status',
      to: 'FAILED',
      failure: { code: 'invalid_request', type: 'request_error', message, details: { param } },
    },
  ],
  progress: (record) => [
    { type: 'tool', tool: { ...nameOf(record), step: 'progress', ...progressOf(record) } },
  ],
  log: ({ params }) => [{ type: 'note', note: 'tool_log', details: params }],
  round: ({ round, ...record }) => [bound(record, { round: round as unknown as JsonObject })],
  answered: (record) => [bound(record)],
  task: (record) => [
    bound(record, { remote_task: record.task_id }),
    { type: 'note', note: 'upstream_task', details: { task_id: record.task_id } },
  ],
  resumed: ({ what, resumes }) => [{ type: 'note', note: 'call_resumed', details: { what, resumes } }],
  asked: askedMoves,
  declined: ({ method, reason }) => [
    { type: 'note', note: 'server_request_declined', details: { method, reason } },
  ],
  result: resultMoves,
  error: errorMoves,
  canceled: (record) => [
    { type: 'tool', tool: { ...nameOf(record), step: 'failed', failure: CANCELED } },
    { type: 'status', to: 'CANCELED' },
  ],
};

/** What a frame means, by the tables of mappings/mcp. Pure: the same frame and the same past give the same moves. */
export const interpret = interpreter<McpRecord>({
  peer: 'server',
  read: ({ body }) => asRecord(body),
  moves: (record) => MOVES[record.type](record as never),
  fault: faultMoves,
});

/** The record of a frame body; undefined when it is none. */
export function asRecord(body: JsonValue): McpRecord | undefined {
  return recordIn<'type', McpRecord>(body, 'type', MOVES);
}

/** What is kept of a call that was sent, and how it can be followed after a restart. */
function bound({ call_id, tool, resumes }: CallFacts & { resumes?: number }, how: JsonObject = {}): Move {
  const times = resumes === undefined ? {} : { resumes };
  return { type: 'bind', binding: { call_id, tool, sent: true, ...how, ...times } };
}

const CANCELED: Failure = {
  code: 'client_closed_request',
  type: 'runtime_error',
  message: 'The call was canceled. Whether the tool did anything is unknown.',
  details: { outcome: 'unknown' },
};

const WHY_HELD = {
  operator: 'The operator wants calls of this tool to be allowed one by one.',
  changed_definition: 'The definition of this tool has changed since it was accepted.',
} as const;

function heldMoves(record: RecordOf<'held'>): Move[] {
  const { call_id, tool, input, reason, server } = record;
  return [
    { type: 'bind', binding: { call_id, tool, held: true } },
    {
      type: 'permission',
      permission: {
        kind: 'tool',
        source: 'hitl',
        message: `${WHY_HELD[reason]} May ${server}__${tool} be called?`,
        toolCall: { tool_call_id: call_id, name: tool, input },
        metadata: { mcp: { server, reason } },
      },
    },
  ];
}

function askedMoves({ request_id, params, server }: RecordOf<'asked'>): Move[] {
  const { message, requestedSchema, url, mode } = params;
  const isUrl = mode === 'url' && typeof url === 'string' && url.startsWith('https://');
  return [
    {
      type: 'permission',
      permission: {
        upstreamId: request_id,
        kind: 'elicitation',
        source: 'hitl',
        message: typeof message === 'string' ? message.slice(0, MAX_TEXT) : 'The tool asks for input.',
        ...(requestedSchema === undefined ? {} : { requestedSchema }),
        ...(isUrl ? { url } : {}),
        metadata: { mcp: { server, mode: isUrl ? 'url' : 'form' } },
      },
    },
  ];
}

function errorMoves(record: RecordOf<'error'>): Move[] {
  const { code, message, data } = record.error;
  const { code: word, type } = failureOfCode(code);
  const failure: Failure = {
    code: word,
    type,
    message: `The server refused the call: ${message.slice(0, MAX_TEXT)}`,
    details: { mcp_code: code, ...(data === undefined ? {} : { data }) },
  };
  const failed: Move = { type: 'tool', tool: { ...nameOf(record), step: 'failed', failure } };
  if (code === MCP_ERRORS.url_elicitation_required) return [failed, urlMove(data, message)];
  return [failed, { type: 'status', to: 'FAILED', failure }];
}

/** Of calls that were recorded before a page to open was a question in their midst. */
function urlMove(data: unknown, message: string): Move {
  const { elicitations } = objectOf(data);
  const [first] = Array.isArray(elicitations) ? elicitations : [];
  const { url } = objectOf(first);
  const isSafe = typeof url === 'string' && url.startsWith('https://');
  return {
    type: 'permission',
    permission: { kind: 'authorization', source: 'hitl', message, ...(isSafe ? { url } : {}) },
  };
}

/** The call has failed with its task. */
function faultMoves(frame: FaultFrame): Move[] | undefined {
  const call = callOf(frame.details);
  if (call === undefined) return undefined;
  const failure = failureOfFault(frame);
  return [
    { type: 'tool', tool: { ...call, step: 'failed', failure } },
    { type: 'status', to: 'FAILED', failure },
  ];
}

/** The call that a fault ended; undefined when none had been sent. */
function callOf(details: JsonObject | undefined): ToolName | undefined {
  const { call_id, server, tool } = details ?? {};
  if (typeof call_id !== 'string' || typeof tool !== 'string' || typeof server !== 'string') return undefined;
  return { toolCallId: call_id, name: tool, server };
}

function nameOf({ call_id, server, tool }: CallFacts): ToolName {
  return { toolCallId: call_id, name: tool, server };
}

function progressOf({ params }: RecordOf<'progress'>): {
  progress?: number;
  total?: number;
  message?: string;
} {
  const { progress, total, message } = params;
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, MAX_TEXT) } : {}),
  };
}

type ResultRecord = Extract<McpRecord, { type: 'result' }>;

const MAX_REASON = 2_000;

/** The result of a call: a message with one `tool_result` part and a part for each content block, and how it ended. */
function resultMoves(record: ResultRecord): Move[] {
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
  return { sha256: sha256(text), chars: text.length };
}

function textOf(content: JsonValue | undefined): string {
  const blocks = Array.isArray(content) ? content.map(objectOf) : [];
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}
