import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { EventKind } from '#protocol/event-kinds.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { KnownKind } from '#resources/event-payloads.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import { blockOfPart, type NameOf, textOfParts } from './blocks.ts';
import type { TranscriptEvent } from './schema.ts';

/** Events whose kind is not simply their family (`task`, `artifact`, ...). */
const KINDS: Partial<Record<EventKind, string>> = {
  'session.message_appended': 'turn',
  'session.compacted': 'compaction',
  'session.truncated': 'truncation',
  'session.thread_forked': 'fork',
  'agent.reasoning_summary': 'reasoning',
  'agent.tool_use': 'tool_call',
  'agent.mcp_tool_use': 'tool_call',
  'agent.tool_result': 'tool_result',
  'tool.approval_required': 'permission_requested',
  'tool.approved': 'permission_resolved',
  'tool.denied': 'permission_resolved',
  'vendor.harn_gateway.permission_requested': 'permission_requested',
  'vendor.harn_gateway.permission_resolved': 'permission_resolved',
  'vendor.harn_gateway.transcript_budget': 'transcript_budget',
} satisfies Partial<Record<KnownKind, string>>;
const INTERNAL: ReadonlySet<EventKind> = new Set(['agent.reasoning_summary']);
const VENDOR = 'vendor.';

/** Member of the metadata of a Session that holds its system prompt: a text or any JSON. */
const SYSTEM_PROMPT = 'system_prompt';

/** `sha256:` and the hex SHA-256 of the RFC 8785 bytes of a system prompt. */
function promptFingerprint(prompt: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(prompt))}`;
}

/**
 * The leading event of a Session that has a system prompt: its fingerprint, never the prompt. A reader without
 * `internal:read` sees that there is one.
 */
export function systemPromptEvent(metadata: JsonObject, seesInternal: boolean): TranscriptEvent | undefined {
  const prompt = metadata[SYSTEM_PROMPT];
  if (prompt === undefined || prompt === null) return undefined;
  return {
    kind: 'system_prompt',
    visibility: 'internal',
    event_id: null,
    event: null,
    created_at: null,
    ...fingerprintOf(prompt, seesInternal),
  };
}

/** The audit event of an Event. What the reader may not see was replaced in it before. */
export function transcriptEventOf(event: Event, nameOf: NameOf, seesInternal: boolean): TranscriptEvent {
  const { message } = event.payload as { message?: Message };
  const head = { event_id: event.id, event: event.event, created_at: event.created_at };
  if (isMessageEvent(event.event) && message !== undefined) return messageEventOf(message, head, nameOf);
  return {
    kind: kindOf(event.event),
    visibility: INTERNAL.has(event.event) ? 'internal' : 'public',
    ...head,
    resource: event.resource,
    task_id: event.task_id,
    actor: event.actor,
    data: withoutPrompt(event, seesInternal),
  };
}

type Head = Pick<TranscriptEvent, 'event_id' | 'event' | 'created_at'>;

/** The audit event of a turn. A turn that came from another Session has no Event of its own here. */
export function messageEventOf(message: Message, head: Head, nameOf: NameOf): TranscriptEvent {
  const { role, parts, id, task_id } = message;
  return {
    kind: 'message',
    role,
    visibility: widest(parts),
    ...head,
    message_id: id,
    task_id,
    text: textOfParts(parts, nameOf),
    blocks: parts.map(blockOfPart),
  };
}

function isMessageEvent(kind: EventKind): boolean {
  return kind === 'user.message' || kind === 'agent.message' || kind === 'session.message_appended';
}

function kindOf(kind: EventKind): string {
  if (kind.startsWith(VENDOR)) return KINDS[kind] ?? 'host';
  return KINDS[kind] ?? kind.slice(0, kind.indexOf('.'));
}

/** A message is as visible as its most visible part. */
function widest(parts: readonly Part[]): TranscriptEvent['visibility'] {
  const seen = new Set(parts.map(({ visibility }) => visibility));
  if (seen.has('public')) return 'public';
  return seen.has('internal') ? 'internal' : 'receipt_only';
}

/** The prompt stands in the metadata of the transcript once; events that set it have its fingerprint. */
function withoutPrompt({ event, payload }: Event, seesInternal: boolean): JsonObject {
  const owner = { 'session.created': 'session', 'vendor.harn_gateway.session_updated': 'changes' }[
    event as string
  ];
  if (owner === undefined) return payload;
  const hide = (metadata: JsonObject) => {
    const prompt = metadata[SYSTEM_PROMPT];
    if (prompt === undefined || prompt === null) return metadata;
    return { ...metadata, [SYSTEM_PROMPT]: fingerprintOf(prompt, seesInternal) };
  };
  return inMember(payload, owner, (member) => inMember(member, 'metadata', hide));
}

function fingerprintOf(prompt: JsonValue, seesInternal: boolean): JsonObject {
  return seesInternal ? { fingerprint: promptFingerprint(prompt) } : { redacted: true };
}

function inMember(value: JsonObject, name: string, change: (member: JsonObject) => JsonObject): JsonObject {
  const member = value[name];
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return value;
  return { ...value, [name]: change(member) };
}
