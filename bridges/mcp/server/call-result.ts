import type { Gateway } from '#gateway.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ServerExchange } from '#protocol-server.ts';
import type { Part } from '#resources/message/schema.ts';
import type { Outcome } from '#resources/outcome/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { blockOfPart, linkTo } from '../../../mappings/mcp/content.ts';
import { ask, askBytes, inlinedFrom, inlinedPart } from '../../wire/gateway-calls.ts';
import type { OfferedTool } from './offered-tools.ts';

/** Reverse-DNS prefix of what the gateway says in `_meta`. */
const META = 'dev.harn-gateway/';
/** Bytes of an image or a file that is sent inside a result; a larger one is a link. Text and JSON are sent whole. */
const MAX_INLINE_BYTES = 1024 * 1024;

/** The CallToolResult of a Task that is over. */
export async function resultOfTask(
  gateway: Gateway,
  exchange: ServerExchange,
  tool: OfferedTool,
  task: Task,
): Promise<JsonObject> {
  const path = { outcome_id: task.outcome_id ?? '' };
  const outcome = await ask<Outcome>(gateway, 'getOutcome', exchange.call({ path }));
  const kept = outcome.messages.filter(({ role }) => role !== 'user').flatMap((message) => message.parts);
  const shown = new Set(kept.flatMap((part) => ('artifact_id' in part ? [part.artifact_id] : [])));
  const parts = await wholeParts(gateway, exchange, kept);
  const contents = await contentsOf(gateway, exchange, parts);
  const blocks = parts.flatMap((part) => blockOfPart(part, (id) => contents.get(id)) ?? []);
  const links = outcome.artifacts.filter(({ id }) => !shown.has(id)).map(linkTo);
  const isError = task.status !== 'COMPLETED' || parts.some(isFailedResult);
  const said = [...blocks, ...links];
  return {
    content: said.length === 0 ? [{ type: 'text', text: outcome.summary }] : said,
    ...structured(tool, task, outcome, parts, isError),
    ...(isError ? { isError } : {}),
    _meta: metaOf(task, outcome),
  };
}

/** A result that stands for a Task which waits for somebody else than this client. */
export function waitingResult(task: Task, requestId: string | undefined, url?: string): JsonObject {
  const page = url === undefined ? '' : `Open ${url} first. `;
  const how =
    requestId === undefined
      ? 'Answer it with a message of kind input.'
      : `Answer it with POST /v1/permission-requests/${requestId}/respond.`;
  const text = `The task ${task.id} is ${task.status}: it waits for an answer. ${page}${how} Its result is then harn://tasks/${task.id}.`;
  const request = requestId === undefined ? {} : { [`${META}permission_request_id`]: requestId };
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { ...request, [`${META}task_id`]: task.id, [`${META}status`]: task.status },
  };
}

function isFailedResult(part: Part): boolean {
  return part.type === 'tool_result' && part.status === 'error';
}

function structured(
  tool: OfferedTool,
  task: Task,
  outcome: Outcome,
  parts: readonly Part[],
  isError: boolean,
): { structuredContent?: JsonValue } {
  if (tool.kind === 'agent') {
    const { id: task_id, session_id, status } = task;
    return { structuredContent: { task_id, session_id, status, text: outcome.summary } };
  }
  const result = parts.find((part) => part.type === 'tool_result');
  const isGiven = result !== undefined && JSON.stringify(result.metadata ?? {}).includes('"structured":true');
  return isGiven && !isError && result.type === 'tool_result' ? { structuredContent: result.output } : {};
}

function metaOf(task: Task, outcome: Outcome): JsonObject {
  const { failure } = task;
  return {
    [`${META}task_id`]: task.id,
    [`${META}outcome`]: outcome.status,
    ...(task.receipt_id === null ? {} : { [`${META}receipt_id`]: task.receipt_id }),
    ...(failure === null
      ? {}
      : { [`${META}error`]: { code: failure.code, message: failure.message, type: failure.type ?? null } }),
  };
}

/** What was too large for the log as it was said: a client reads the result by the schema that it was given. */
async function wholeParts(
  gateway: Gateway,
  exchange: ServerExchange,
  parts: readonly Part[],
): Promise<readonly Part[]> {
  const whole = parts.map(async (part) => {
    if (part.type !== 'artifact_ref' || inlinedFrom(part) === undefined) return part;
    return inlinedPart(part, (await readArtifact(gateway, exchange, part.artifact_id)).bytes);
  });
  return Promise.all(whole);
}

function readArtifact(gateway: Gateway, exchange: ServerExchange, artifact_id: string) {
  return askBytes(gateway, 'downloadArtifactContent', exchange.call({ path: { artifact_id } }));
}

async function contentsOf(
  gateway: Gateway,
  exchange: ServerExchange,
  parts: readonly Part[],
): Promise<Map<string, { base64: string; mimeType: string }>> {
  const found = new Map<string, { base64: string; mimeType: string }>();
  for (const part of parts) {
    if (part.type !== 'image_ref' && part.type !== 'artifact_ref') continue;
    const { bytes, mimeType } = await readArtifact(gateway, exchange, part.artifact_id);
    if (bytes.length <= MAX_INLINE_BYTES)
      found.set(part.artifact_id, { base64: bytes.toString('base64'), mimeType });
  }
  return found;
}
