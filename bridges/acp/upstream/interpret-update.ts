import { isObject, objectOf, objectsOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { TOOL_STATUSES } from '../../../mappings/acp/tool-statuses.ts';
import { updateRow } from '../../../mappings/acp/update-kinds.ts';
import { USAGE_UPDATE } from '../../../mappings/acp/usage-words.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import type { Move, Seen } from '../../../src/upstream.ts';
import { usageMoves } from './interpret-usage.ts';
import type { AcpRecord, ToolFacts } from './record.ts';

type Update = Extract<AcpRecord, { op: 'update' }>;

const MAX_KIND = 100;

/** An update is logged as it came, whatever its kind; what Harn has words for is told in those too. */
export function interpretUpdate({ message, tool, between_turns, mended }: Update, seen: Seen): Move[] {
  const body = objectOf(objectOf(message['params'])['update']);
  const kind = (textOf(body['sessionUpdate']) ?? 'unknown').slice(0, MAX_KIND);
  const row = updateRow(kind);
  const live: Move = {
    type: 'update',
    update: {
      protocol: 'acp',
      kind,
      body,
      about: row.home === 'session' ? 'session' : 'turn',
      visibility: row.visibility,
    },
  };
  const between: Move[] = between_turns
    ? [{ type: 'note', note: 'came_between_turns', details: { kind } }]
    : [];
  const lossy: Move[] =
    mended === undefined ? [] : [{ type: 'note', note: 'update_mended', details: { kind, mended } }];
  const onTask: Move[] = row.onTask ? [{ type: 'metadata', patch: { acp: { [kind]: kept(body) } } }] : [];
  const tools = tool === undefined ? [] : [...toolMoves(body, tool), ...diffMoves(body, seen)];
  const usage = kind === 'usage_update' ? usageMoves(USAGE_UPDATE, body, seen) : [];
  return [...between, ...lossy, live, ...onTask, ...usage, ...tools];
}

function kept(update: JsonObject): JsonObject {
  const { sessionUpdate: _kind, ...rest } = update;
  return rest;
}

function toolMoves(body: JsonObject, { name, isNew }: ToolFacts): Move[] {
  const toolCallId = textOf(body['toolCallId'])?.slice(0, 512);
  if (toolCallId === undefined) return [{ type: 'note', note: 'tool_without_id' }];
  const begun: Move[] = isNew
    ? [{ type: 'tool', tool: { toolCallId, name, step: 'requested', input: body['rawInput'] ?? null } }]
    : [];
  const found = TOOL_STATUSES.decode(textOf(body['status']) ?? 'pending');
  const phase = found.known ? found.word : 'requested';
  if (phase === 'completed') {
    return [
      ...begun,
      { type: 'tool', tool: { toolCallId, name, step: 'completed', output: outputOf(body) } },
    ];
  }
  if (phase !== 'failed') return begun;
  const failure = { code: 'tool_failed', message: `The agent's tool ${name} failed.`, type: 'runtime_error' };
  return [
    ...begun,
    { type: 'tool', tool: { toolCallId, name, step: 'failed', failure, output: outputOf(body) } },
  ];
}

function outputOf(body: JsonObject): JsonValue {
  return body['rawOutput'] ?? body['content'] ?? null;
}

/** A change of a file is an Artifact of its own, once per place in the call. */
function diffMoves(body: JsonObject, seen: Seen): Move[] {
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
