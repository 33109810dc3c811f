import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/**
 * A content block of ACP as a Harn part; everything an agent says is public. Bytes become a draft that the core turns into an
 * Artifact. A block that no version knows is kept whole as JSON. Spec: ACP v1, "Content".
 */
export function decodeBlock(raw: JsonValue): DraftPart {
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
