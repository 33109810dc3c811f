import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { Part } from '#resources/message/schema.ts';
import { encodePart } from './content.ts';
import { HISTORY_REMOVED, notice, noticeOf } from './notices.ts';
import { UPDATE_KINDS, updateRow } from './update-kinds.ts';

/** An event as it is streamed. */
export interface OutEvent {
  event: string;
  task_id: string | null;
  payload: JsonObject;
}

/** Clients read links to artifacts, and take embedded content of any kind. */
const TAKES = { image: true, audio: true, embeddedContext: true };

const NONE: ReadonlySet<string> = new Set();

type Translate = (payload: JsonObject, terminals: ReadonlySet<string>) => JsonObject[];

/**
 * The updates that an event is to an ACP client, in order; kinds without a row have no word in ACP v1, and are in the log
 * only. What an ACP agent said goes out as it came in. See mappings/README.md, Events.
 */
const TRANSLATE: Readonly<Record<string, Translate>> = {
  'user.message': (payload) => messageChunks('user_message_chunk', payload),
  'agent.message': agentMessage,
  'vendor.harn_gateway.agent_update': agentUpdate,
  'artifact.created': artifactChunks,
  'artifact.updated': artifactChunks,
  'tool.requested': toolRequested,
  'tool.completed': (payload) => toolEnded(payload, 'completed'),
  'tool.failed': (payload) => toolEnded(payload, 'failed'),
  'tool.denied': (payload) => toolEnded(payload, 'failed', 'denied'),
  'vendor.harn_gateway.session_updated': sessionUpdated,
  'vendor.harn_gateway.upstream_note': noticeOf,
  'vendor.harn_gateway.history_removed': () => [HISTORY_REMOVED],
};

/** `terminals`: those that the client has made; it drops a whole update that names another one. */
export function updatesOf(event: OutEvent, terminals: ReadonlySet<string> = NONE): JsonObject[] {
  return TRANSLATE[event.event]?.(event.payload, terminals) ?? [];
}

function messageChunks(sessionUpdate: string, payload: JsonObject): JsonObject[] {
  const message = objectOf(payload['message']);
  const messageId = textOf(message['id']);
  return blocksOf(message['parts']).map((content) => ({
    sessionUpdate,
    content,
    ...(messageId === undefined ? {} : { messageId }),
  }));
}

/** What was streamed piece by piece is not said again as a whole. */
function agentMessage(payload: JsonObject): JsonObject[] {
  const metadata = objectOf(objectOf(payload['message'])['metadata']);
  return objectOf(metadata['acp'])['streamed'] === true ? [] : messageChunks('agent_message_chunk', payload);
}

function blocksOf(parts: JsonValue | undefined): JsonObject[] {
  return objectsOf(parts).map((part) => encodePart(part as unknown as Part, new Map(), TAKES));
}

/**
 * An agent repeats what its client said: the Message of it is in the log. Its options are sent in one list with the
 * gateway's, because the newest list is the whole one.
 */
const TOLD_OTHERWISE: readonly string[] = ['user_message_chunk', 'config_option_update'];

/** Clients of v1 fail on kinds they do not know, so those stay in the log. */
function agentUpdate(payload: JsonObject, terminals: ReadonlySet<string>): JsonObject[] {
  const kind = textOf(payload['kind']) ?? '';
  const { type, body } = objectOf(payload['update']);
  if (payload['protocol'] !== 'acp' || type !== 'agent_update' || !isObject(body)) return [];
  if (TOLD_OTHERWISE.includes(kind) || !Object.hasOwn(UPDATE_KINDS, kind)) return [];
  const sent = withLinks({ ...body, sessionUpdate: kind });
  const isWhole = updateRow(kind).requires.every((name) => sent[name] !== undefined);
  return isWhole ? [withKnownTerminals(sent, terminals)] : [tooLarge(kind, body)];
}

/** Clients drop an update that lacks what it must have, so they get a text that there was one, and where it is. */
function tooLarge(kind: string, body: JsonObject): JsonObject {
  const places = [body, ...Object.values(body)].flatMap((value) => movedTo(value) ?? []);
  const where = places.map((id) => `harn://artifacts/${id}`).join(', ');
  return notice(
    'An update of the agent is too large to be shown',
    `It is a ${kind}. What it says is in ${where}.`,
  );
}

function movedTo(value: JsonValue | undefined): string | undefined {
  return textOf(objectOf(objectOf(value)['large_metadata'])['artifact_id']);
}

/**
 * A member that is still in an Artifact, because it is too large for a message or the client may not read it: content becomes a link
 * to it, anything else is left out.
 */
function withLinks(update: JsonObject): JsonObject {
  const members = Object.entries(update).flatMap(([name, value]): [string, JsonValue][] => {
    const id = movedTo(value);
    if (id === undefined) return name === 'large_metadata' ? [] : [[name, value]];
    if (name !== 'content') return [];
    const link = { type: 'resource_link', uri: `harn://artifacts/${id}`, name: 'content' };
    const isChunk = textOf(update['sessionUpdate'])?.endsWith('_chunk') ?? false;
    return [[name, isChunk ? link : [{ type: 'content', content: link }]]];
  });
  return Object.fromEntries(members);
}

/** A terminal of somebody else, or of an earlier connection, is described in words. */
function withKnownTerminals(update: JsonObject, terminals: ReadonlySet<string>): JsonObject {
  if (!Array.isArray(update['content'])) return update;
  const content = objectsOf(update['content']).map((item) =>
    item['type'] === 'terminal' && !terminals.has(textOf(item['terminalId']) ?? '')
      ? { type: 'content', content: { type: 'text', text: '[terminal output]' } }
      : item,
  );
  return { ...update, content };
}

/** An Artifact that the gateway made of bytes or of something large is sent where it is referred to; an agent names its own. */
function holdsContent({ upstream_artifact_id, name, store }: JsonObject): boolean {
  return upstream_artifact_id === null && name === null && store === 'bytes';
}

/** Texts of an artifact are what the agent says; everything else is a link. */
function artifactChunks(payload: JsonObject): JsonObject[] {
  const artifact = objectOf(payload['artifact']);
  const id = textOf(artifact['id']) ?? textOf(payload['artifact_id']) ?? '';
  const ofAgent = objectOf(objectOf(artifact['metadata'])['acp']);
  if (ofAgent['kind'] === 'diff' || holdsContent(payload)) return [];
  const name = textOf(payload['name']) ?? id;
  const link = { type: 'resource_link', uri: `harn://artifacts/${id}`, name };
  const parts = objectsOf(payload['parts']);
  const texts = parts.filter(({ type, visibility }) => type === 'text' && visibility === 'public');
  const isLinked = texts.length < parts.length || (parts.length === 0 && 'artifact' in payload);
  const blocks = [
    ...texts.map(({ text }) => ({ type: 'text', text: text ?? '' })),
    ...(isLinked ? [link] : []),
  ];
  return blocks.map((content) => ({ sessionUpdate: 'agent_message_chunk', content, messageId: id }));
}

/** Tools of an ACP agent show in its own updates; these are the tools of servers. */
function toolRequested(payload: JsonObject): JsonObject[] {
  const { tool_call_id, name, server, input } = payload;
  if (typeof server !== 'string') return [];
  const title = `${server}: ${textOf(name) ?? 'tool'}`;
  return [
    {
      sessionUpdate: 'tool_call',
      toolCallId: tool_call_id ?? '',
      title,
      kind: 'other',
      status: 'in_progress',
      ...(input === undefined ? {} : { rawInput: input }),
    },
  ];
}

function toolEnded(payload: JsonObject, status: string, harnStatus?: string): JsonObject[] {
  if (typeof payload['server'] !== 'string') return [];
  const meta = harnStatus === undefined ? {} : { _meta: { harn: { status: harnStatus } } };
  return [{ sessionUpdate: 'tool_call_update', toolCallId: payload['tool_call_id'] ?? '', status, ...meta }];
}

function sessionUpdated(payload: JsonObject): JsonObject[] {
  const title = objectOf(payload['changes'])['summary'];
  if (title === undefined) return [];
  return [{ sessionUpdate: 'session_info_update', title }];
}
