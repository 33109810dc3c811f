import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Move, Seen } from '#upstream.ts';
import { isObject, objectOf, objectsOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { TOOL_STATUSES } from '../../../mappings/acp/tool-statuses.ts';
import { updateRow } from '../../../mappings/acp/update-kinds.ts';
import { USAGE_UPDATE } from '../../../mappings/acp/usage-words.ts';
import { usageMoves } from './interpret-usage.ts';
import type { AcpRecord, ToolFacts } from './record.ts';

type Update = Extract<AcpRecord, { op: 'update' }>;

const MAX_KIND = 100;
const MAX_CALL_ID = 512;

/**
 * An update is logged as it came, whatever its kind; what Harn has words for is told in those too. Of a task that has ended it
 * changes nothing.
 */
export function interpretUpdate({ message, tool, between_turns, mended }: Update, seen: Seen): Move[] {
  const body = objectOf(objectOf(message['params'])['update']);
  const kind = (textOf(body['sessionUpdate']) ?? 'unknown').slice(0, MAX_KIND);
  const row = updateRow(kind);
  const live = {
    type: 'update' as const,
    update: {
      protocol: 'acp',
      kind,
      body,
      about: row.home === 'session' ? ('session' as const) : ('turn' as const),
      visibility: row.visibility,
    },
  };
  if (between_turns && isTerminal(seen.status)) return [{ ...live, betweenTurns: true }];
  const between: Move[] = between_turns
    ? [{ type: 'note', note: 'came_between_turns', details: { kind } }]
    : [];
  const lossy: Move[] =
    mended === undefined ? [] : [{ type: 'note', note: 'update_mended', details: { kind, mended } }];
  const onTask: Move[] = row.onTask ? [{ type: 'metadata', patch: { acp: { [kind]: kept(body) } } }] : [];
  const tools =
    tool === undefined
      ? []
      : [...toolMoves(body, tool), ...diffMoves(body, seen), ...printedMoves(body, tool)];
  const usage = kind === 'usage_update' ? usageMoves(USAGE_UPDATE, body, seen) : [];
  return [...between, ...lossy, ...unheardMoves(body, tool), live, ...onTask, ...usage, ...tools];
}

function kept(update: JsonObject): JsonObject {
  const { sessionUpdate: _kind, ...rest } = update;
  return rest;
}

/** The id of a tool call in a session. */
export function callIdOf(call: JsonObject): string | undefined {
  return textOf(call['toolCallId'])?.slice(0, MAX_CALL_ID);
}

function toolMoves(body: JsonObject, facts: ToolFacts): Move[] {
  const { name } = facts;
  const toolCallId = callIdOf(body);
  if (toolCallId === undefined) return [{ type: 'note', note: 'tool_without_id' }];
  const begun = requested(body, facts);
  const found = TOOL_STATUSES.decode(textOf(body['status']) ?? 'pending');
  const phase = found.known ? found.word : 'requested';
  if (phase === 'completed') {
    return [
      ...begun,
      { type: 'tool', tool: { toolCallId, name, step: 'completed', output: outputOf(body, facts) } },
    ];
  }
  if (phase !== 'failed') return begun;
  const failure = { code: 'tool_failed', message: `The agent's tool ${name} failed.`, type: 'runtime_error' };
  return [
    ...begun,
    { type: 'tool', tool: { toolCallId, name, step: 'failed', failure, output: outputOf(body, facts) } },
  ];
}

/** Clients take an update of a call only after the call itself. */
export function unheardMoves(call: JsonObject, tool: ToolFacts | undefined): Move[] {
  if (tool?.isUnheard !== true || callIdOf(call) === undefined) return [];
  const begin = { title: tool.name, ...call, status: 'pending', sessionUpdate: 'tool_call' };
  return [ownUpdate(begin)];
}

/** The begin of a call, when its update or question is the one that begins it. */
export function requested(call: JsonObject, { name, isNew, input }: ToolFacts): Move[] {
  const toolCallId = callIdOf(call);
  if (!isNew || toolCallId === undefined) return [];
  const given = input ?? call['rawInput'] ?? null;
  return [{ type: 'tool', tool: { toolCallId, name, step: 'requested', input: given } }];
}

function outputOf(body: JsonObject, { printed }: ToolFacts): JsonValue {
  return body['rawOutput'] ?? body['content'] ?? printed ?? null;
}

/** What a command of the agent printed is content for clients that know no terminals of agents. */
function printedMoves(body: JsonObject, { printed }: ToolFacts): Move[] {
  const { toolCallId = null, content } = body;
  if (printed === undefined || content !== undefined) return [];
  const shown = [{ type: 'content', content: { type: 'text', text: printed } }];
  return [ownUpdate({ sessionUpdate: 'tool_call_update', toolCallId, content: shown })];
}

/** An update that the gateway puts beside the agent's own. */
export function ownUpdate(body: JsonObject): Move {
  const kind = textOf(body['sessionUpdate']) ?? '';
  return { type: 'update', update: { protocol: 'acp', kind, body, about: 'turn', visibility: 'public' } };
}

/** A change of a file is an Artifact of its own, once per place in the call. */
export function diffMoves(body: JsonObject, seen: Seen): Move[] {
  const call = textOf(body['toolCallId']) ?? '';
  return objectsOf(body['content']).flatMap((content, at): Move[] => {
    if (content['type'] !== 'diff') return [];
    const upstreamId = `diff:${call}:${at}`.slice(0, 512);
    const path = textOf(content['path']);
    if (seen.artifactParts(upstreamId) !== undefined || path === undefined) return [];
    const { oldText = null, newText = '' } = content;
    const value = { path, old_text: oldText, new_text: newText };
    const artifact = {
      upstreamId,
      name: path.slice(-512),
      parts: [{ type: 'json' as const, value, visibility: 'public' as const }],
      append: false,
      lastChunk: true,
      metadata: { acp: { tool_call_id: call.slice(0, 512), kind: 'diff', ...meta(content) } },
    };
    return [{ type: 'artifact', artifact }];
  });
}

function meta(content: JsonObject): JsonObject {
  return isObject(content['_meta']) ? { _meta: content['_meta'] } : {};
}
