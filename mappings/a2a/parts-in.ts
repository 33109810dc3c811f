import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';
import { DEFAULT_MEDIA_TYPE, MEDIA_TYPES, WRAPPED_VALUE } from './part-words.ts';

/**
 * A part of A2A 1.0, 0.3 or `harn serve` as a Harn part; everything an agent says is public. Bytes become a draft that
 * the core turns into an Artifact. What the part carries besides its content is kept in `metadata.a2a`; a part that no
 * version knows is kept whole as JSON. See mappings/README.md, Parts.
 */
export function decodePart(raw: JsonValue): DraftPart {
  if (!isObject(raw)) return unrecognised(raw);
  const content = isObject(raw['file']) ? fileContent(raw['file']) : raw;
  const rest = extras(raw, content);
  if (typeof content['text'] === 'string') return { ...textOf(content['text']), ...rest };
  if (typeof content['raw'] === 'string') return bytesOf(raw, content, content['raw'], rest);
  if (typeof content['url'] === 'string') {
    return {
      type: 'file_ref',
      uri: content['url'],
      mime_type: mediaType(content),
      visibility: 'public',
      ...rest,
    };
  }
  return 'data' in content ? dataOf(content, rest, dataMediaType(raw)) : unrecognised(raw);
}

/** A2A 0.3 data parts have no media type of their own; our encoder puts it into the metadata. */
function dataMediaType(raw: JsonObject): JsonValue | undefined {
  return raw['mediaType'] ?? (isObject(raw['metadata']) ? raw['metadata']['mediaType'] : undefined);
}

export function decodeParts(raw: JsonValue | undefined): DraftPart[] {
  return Array.isArray(raw) ? raw.map(decodePart) : [];
}

function textOf(text: string): Part {
  return { type: 'text', text, visibility: 'public' };
}

/** A2A 0.3 nests files; the members of 1.0 are the same things under other names. */
function fileContent(file: JsonObject): JsonObject {
  const { bytes, uri, mimeType, name } = file;
  return {
    ...(bytes !== undefined && { raw: bytes }),
    ...(uri !== undefined && { url: uri }),
    ...(mimeType !== undefined && { mediaType: mimeType }),
    ...(name !== undefined && { filename: name }),
  };
}

type Extras = { metadata?: JsonObject };

/**
 * What no Harn part has a member for. A file's media type and name travel in the draft itself, which always has a type: that
 * the peer named none is kept as null.
 */
function extras(raw: JsonObject, content: JsonObject): Extras {
  const isBytes = typeof content['raw'] === 'string';
  const isFile = isBytes || typeof content['url'] === 'string';
  const isPlain = isFile || isToolType(content['mediaType']) || isDefault(content);
  const media = isPlain ? undefined : content['mediaType'];
  const name = isBytes ? undefined : content['filename'];
  const kept: JsonObject = {
    ...(isFile && !isNamed(content['mediaType']) && { media_type: null }),
    ...(isNamed(media) && { media_type: media }),
    ...(typeof name === 'string' && name !== '' && { filename: name }),
    ...(isObject(raw['metadata']) && { metadata: raw['metadata'] }),
  };
  return Object.keys(kept).length === 0 ? {} : { metadata: { a2a: kept } };
}

/** Peers that name the obvious media type say no more than those that name none. */
function isDefault({ text, mediaType: media }: JsonObject): boolean {
  return media === (typeof text === 'string' ? 'text/plain' : 'application/json');
}

function mediaType(content: JsonObject): string {
  const given = content['mediaType'];
  return isNamed(given) ? given : DEFAULT_MEDIA_TYPE;
}

function isNamed(media: JsonValue | undefined): media is string {
  return typeof media === 'string' && media !== '';
}

function bytesOf(raw: JsonObject, content: JsonObject, encoded: string, rest: Extras): DraftPart {
  // ProtoJSON allows both alphabets; ours is the standard one.
  const base64 = encoded.replaceAll('-', '+').replaceAll('_', '/');
  if (!isBase64(base64)) return unrecognised(raw);
  const name = content['filename'];
  return {
    type: 'bytes',
    base64,
    mime_type: mediaType(content),
    ...(typeof name === 'string' && name !== '' && { name }),
    ...rest,
  };
}

/** Linear: one pass, no backtracking. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
}

function isToolType(media: JsonValue | undefined): boolean {
  return media === MEDIA_TYPES.tool_call || media === MEDIA_TYPES.tool_result;
}

function dataOf(content: JsonObject, rest: Extras, media: JsonValue | undefined): DraftPart {
  const value = unwrap(content);
  if (isObject(value)) {
    const tool = toolPart(media, value, rest);
    if (tool !== undefined) return tool;
  }
  return { type: 'json', value, visibility: 'public', ...rest };
}

/** A2A 0.3 allows objects only, so our own encoder wraps other values under a name of its own. */
function unwrap(content: JsonObject): JsonValue {
  const data = content['data'] ?? null;
  if (!isObject(data) || Object.keys(data).length !== 1) return data;
  return Object.hasOwn(data, WRAPPED_VALUE) ? (data[WRAPPED_VALUE] ?? null) : data;
}

function toolPart(media: JsonValue | undefined, value: JsonObject, rest: Extras): Part | undefined {
  const { tool_call_id: id, name, input, output, status } = value;
  if (typeof id !== 'string') return undefined;
  if (media === MEDIA_TYPES.tool_call && typeof name === 'string' && isObject(input)) {
    return { type: 'tool_call', tool_call_id: id, name, input, visibility: 'public', ...rest };
  }
  const isOutcome = status === 'ok' || status === 'error';
  if (media !== MEDIA_TYPES.tool_result || !isOutcome || output === undefined) return undefined;
  return { type: 'tool_result', tool_call_id: id, output, status, visibility: 'public', ...rest };
}

function unrecognised(raw: JsonValue): Part {
  return { type: 'json', value: raw, visibility: 'public', metadata: { a2a: { unrecognised: true } } };
}
