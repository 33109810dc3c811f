import type { JsonObject } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { Part } from '#resources/message/schema.ts';

export interface ContentBytes {
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
