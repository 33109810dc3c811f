import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';
import { MEDIA_TYPES, WRAPPED_VALUE } from './part-words.ts';

/** How parts are spelled: A2A 1.0, A2A 0.3, or the reader of `harn serve`, which looks at `type`. */
export type PartDialect = '1.0' | '0.3' | 'harn-serve';

export interface InlineBytes {
  bytes: Buffer;
  mimeType: string;
  name?: string;
}

/**
 * A Harn part as a part of the dialect. Internal and receipt_only parts never leave: a descriptor stands in their place,
 * so that positions stay. An artifact without bytes at hand leaves as a descriptor too. See mappings/README.md, Parts.
 */
export function encodePart(
  part: Part,
  dialect: PartDialect,
  artifacts: ReadonlyMap<string, InlineBytes>,
): JsonObject {
  const kept = keptOf(part);
  // What came from A2A goes back to it; other part metadata is the gateway's own. Nothing of a hidden part goes.
  const spelled =
    part.visibility === 'public' ? { ...content(part, artifacts), ...carried(kept) } : redacted(part);
  const encoded = named(spelled, kept);
  return dialect === '1.0' ? encoded : legacy(encoded, dialect);
}

/** The same for a part as an agent sent it, whose bytes are at hand. */
export function encodeDraft(
  part: DraftPart,
  dialect: PartDialect,
  artifacts: ReadonlyMap<string, InlineBytes>,
): JsonObject {
  if (part.type !== 'bytes') return encodePart(part, dialect, artifacts);
  const { base64, mime_type, name } = part;
  const kept = keptOf(part);
  const whole = {
    raw: base64,
    mediaType: mime_type,
    ...(name === undefined ? {} : { filename: name }),
    ...(isObject(kept['metadata']) && { metadata: kept['metadata'] }),
  };
  const encoded = named(whole, kept);
  return dialect === '1.0' ? encoded : legacy(encoded, dialect);
}

function redacted(part: Part): JsonObject {
  return { data: { redacted: true, type: part.type } };
}

function content(part: Part, artifacts: ReadonlyMap<string, InlineBytes>): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'json':
      return { data: part.value };
    case 'tool_call': {
      const { tool_call_id, name, input } = part;
      return { data: { tool_call_id, name, input }, mediaType: MEDIA_TYPES.tool_call };
    }
    case 'tool_result': {
      const { tool_call_id, output, status } = part;
      return { data: { tool_call_id, output, status }, mediaType: MEDIA_TYPES.tool_result };
    }
    case 'file_ref':
      return { url: part.uri, mediaType: part.mime_type };
    case 'artifact_ref':
    case 'image_ref':
      return inlined(part.artifact_id, artifacts.get(part.artifact_id));
  }
}

function inlined(id: string, artifact: InlineBytes | undefined): JsonObject {
  if (artifact === undefined) return { data: { artifact_id: id, available: false } };
  const { bytes, mimeType, name } = artifact;
  return {
    raw: bytes.toString('base64'),
    mediaType: mimeType,
    ...(name !== undefined && { filename: name }),
  };
}

function carried(kept: JsonObject): JsonObject {
  return {
    ...(typeof kept['media_type'] === 'string' && { mediaType: kept['media_type'] }),
    ...(typeof kept['filename'] === 'string' && { filename: kept['filename'] }),
    ...(isObject(kept['metadata']) && { metadata: kept['metadata'] }),
  };
}

function keptOf({ metadata }: DraftPart): JsonObject {
  const a2a = metadata?.['a2a'];
  return a2a !== undefined && isObject(a2a) ? a2a : {};
}

/** A file whose peer named no media type leaves without the one that it has here. */
function named({ mediaType, ...part }: JsonObject, { media_type: kept }: JsonObject): JsonObject {
  return mediaType === undefined || kept === null ? part : { ...part, mediaType };
}

function legacy(part: JsonObject, dialect: PartDialect): JsonObject {
  const metadata = legacyMetadata(part);
  const spelled: JsonObject = { ...legacyContent(part), ...(metadata !== undefined && { metadata }) };
  return dialect === 'harn-serve' ? { ...spelled, type: spelled['kind'] ?? null } : spelled;
}

function legacyContent(part: JsonObject): JsonObject {
  if (typeof part['text'] === 'string') return { kind: 'text', text: part['text'] };
  if ('raw' in part || 'url' in part) return { kind: 'file', file: legacyFile(part) };
  return { kind: 'data', data: wrapped(part['data'] ?? null) };
}

function legacyFile({ raw, url, mediaType, filename }: JsonObject): JsonObject {
  return {
    ...(raw !== undefined && { bytes: raw }),
    ...(url !== undefined && { uri: url }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
    ...(filename !== undefined && { name: filename }),
  };
}

function wrapped(value: JsonValue): JsonObject {
  return isObject(value) ? value : { [WRAPPED_VALUE]: value };
}

/** A2A 0.3 text and data parts have no media type: it goes into the metadata. */
function legacyMetadata(part: JsonObject): JsonObject | undefined {
  const own = isObject(part['metadata']) ? part['metadata'] : undefined;
  const isFile = 'raw' in part || 'url' in part;
  return isFile || part['mediaType'] === undefined ? own : { ...own, mediaType: part['mediaType'] };
}
