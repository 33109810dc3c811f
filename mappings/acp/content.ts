import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/**
 * A content block of ACP as a Harn part; everything an agent says is public. Bytes become a draft that the core turns into an
 * Artifact. A block that no version knows is kept whole as JSON. Spec: ACP v1, "Content".
 */
function decodeBlock(raw: JsonValue): DraftPart {
  if (!isObject(raw)) return unrecognised(raw);
  switch (raw['type']) {
    case 'text':
      return { type: 'text', text: String(raw['text'] ?? ''), visibility: 'public', ...extras(raw, []) };
    case 'image':
    case 'audio':
      return bytesOf(raw, raw['data'], raw['mimeType'], raw['uri']) ?? unrecognised(raw);
    case 'resource_link':
      return linkOf(raw);
    case 'resource':
      return resourceOf(raw);
    default:
      return unrecognised(raw);
  }
}

/** Consecutive texts are one text: agents send a message in pieces. */
export function decodeBlocks(blocks: readonly JsonValue[]): DraftPart[] {
  const parts: DraftPart[] = [];
  for (const part of blocks.map(decodeBlock)) {
    const last = parts.at(-1);
    const isPlain = part.type === 'text' && part.metadata === undefined;
    if (isPlain && last?.type === 'text' && last.metadata === undefined) {
      parts[parts.length - 1] = { ...last, text: last.text + part.text };
    } else parts.push(part);
  }
  return parts.filter((part) => part.type !== 'text' || part.text !== '');
}

function bytesOf(
  raw: JsonObject,
  data: JsonValue | undefined,
  mimeType: JsonValue | undefined,
  name: JsonValue | undefined,
): DraftPart | undefined {
  const base64 = textOf(data);
  // Linear: one pass, no backtracking.
  if (base64 === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const named = textOf(name);
  return {
    type: 'bytes',
    base64,
    mime_type: textOf(mimeType) ?? DEFAULT_MEDIA_TYPE,
    ...(named === undefined ? {} : { name: named.slice(0, 512) }),
    ...extras(raw, ['data', 'mimeType']),
  };
}

function linkOf(raw: JsonObject): DraftPart {
  const uri = textOf(raw['uri']);
  if (uri === undefined) return unrecognised(raw);
  const mime_type = textOf(raw['mimeType']) ?? DEFAULT_MEDIA_TYPE;
  return { type: 'file_ref', uri, mime_type, visibility: 'public', ...extras(raw, ['uri', 'mimeType']) };
}

/** An embedded text is a text that remembers where it came from; an embedded blob is bytes. */
function resourceOf(raw: JsonObject): DraftPart {
  const resource = raw['resource'];
  if (!isObject(resource)) return unrecognised(raw);
  const { text, blob, ...rest } = resource;
  if (typeof text === 'string') {
    return { type: 'text', text, visibility: 'public', metadata: { acp: { resource: rest } } };
  }
  return bytesOf(raw, blob, resource['mimeType'], resource['uri']) ?? unrecognised(raw);
}

/** What no Harn part has a member for goes back to ACP as it came. */
function extras(raw: JsonObject, handled: readonly string[]): { metadata?: JsonObject } {
  const known = ['type', 'text', 'resource', ...handled];
  const kept = Object.fromEntries(Object.entries(raw).filter(([name]) => !known.includes(name)));
  return Object.keys(kept).length === 0 ? {} : { metadata: { acp: kept } };
}

function unrecognised(raw: JsonValue): DraftPart {
  return { type: 'json', value: raw, visibility: 'public', metadata: { acp: { unrecognised: true } } };
}

interface ContentBytes {
  bytes: Buffer;
  mimeType: string;
  name?: string;
}

/** What the other side said it takes beside text and links. Spec: ACP v1, `promptCapabilities`. */
export interface Takes {
  image: boolean;
  audio: boolean;
  embeddedContext: boolean;
}

/**
 * A Harn part as a content block. What is not public leaves as a descriptor, so that positions stay. What the other side
 * does not take is described in words. Spec: ACP v1, "Content".
 */
export function encodePart(
  part: Part,
  artifacts: ReadonlyMap<string, ContentBytes>,
  takes: Takes,
): JsonObject {
  if (part.visibility !== 'public') return said(`[${part.type} that is not public]`);
  switch (part.type) {
    case 'text':
      return textBlock(part, takes);
    case 'json':
      return said(JSON.stringify(part.value, null, 2));
    case 'tool_call':
      return said(`[tool call ${part.name}] ${JSON.stringify(part.input)}`);
    case 'tool_result':
      return said(`[tool result, ${part.status}] ${JSON.stringify(part.output)}`);
    case 'file_ref':
      return linkBlock(part);
    case 'artifact_ref':
    case 'image_ref':
      return contentBlock(part.artifact_id, artifacts.get(part.artifact_id), takes);
  }
}

function said(text: string): JsonObject {
  return { type: 'text', text };
}

/** A text that came as an embedded resource leaves as one. */
function textBlock(part: Extract<Part, { type: 'text' }>, takes: Takes): JsonObject {
  const kept = part.metadata?.['acp'];
  const resource = isObject(kept) && isObject(kept['resource']) ? kept['resource'] : undefined;
  if (resource === undefined) return said(part.text);
  if (takes.embeddedContext) return { type: 'resource', resource: { ...resource, text: part.text } };
  return said(`<context uri="${textOf(resource['uri']) ?? ''}">\n${part.text}\n</context>`);
}

function linkBlock(part: Extract<Part, { type: 'file_ref' }>): JsonObject {
  const kept = part.metadata?.['acp'];
  const name = (isObject(kept) ? textOf(kept['name']) : undefined) ?? part.uri.split('/').pop() ?? part.uri;
  return { type: 'resource_link', uri: part.uri, name, mimeType: part.mime_type };
}

function contentBlock(id: string, content: ContentBytes | undefined, takes: Takes): JsonObject {
  const uri = `harn://artifacts/${id}`;
  if (content === undefined) return { type: 'resource_link', uri, name: id };
  const { bytes, mimeType, name = id } = content;
  const data = () => bytes.toString('base64');
  if (mimeType.startsWith('image/') && takes.image) return { type: 'image', mimeType, data: data() };
  if (mimeType.startsWith('audio/') && takes.audio) return { type: 'audio', mimeType, data: data() };
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json';
  if (isText && !takes.embeddedContext)
    return said(`<context uri="${uri}">\n${bytes.toString()}\n</context>`);
  if (!takes.embeddedContext) return { type: 'resource_link', uri, name, mimeType };
  const held = isText ? { text: bytes.toString() } : { blob: data() };
  return { type: 'resource', resource: { uri, mimeType, ...held } };
}

/** The bytes in a prompt, which become an Artifact before the prompt is submitted. */
export type PromptBytes = Extract<DraftPart, { type: 'bytes' }>;
type PromptPart = Part | PromptBytes;

/** What a client sent, as parts of a Message. Spec: ACP v1, "Prompt Turn", content blocks. */
export function decodePrompt(blocks: readonly JsonValue[]): PromptPart[] {
  return decodeBlocks(blocks.filter(isObject));
}

/** The part that stands for bytes which are an Artifact now. */
export function artifactPart(artifactId: string, { mime_type }: PromptBytes): Part {
  const ref = { artifact_id: artifactId, visibility: 'public' as const };
  return mime_type.startsWith('image/')
    ? { type: 'image_ref', mime_type, ...ref }
    : { type: 'artifact_ref', ...ref };
}

/** A text as a part of a Message. */
export function textPart(text: string): Part {
  return { type: 'text', text, visibility: 'public' };
}
