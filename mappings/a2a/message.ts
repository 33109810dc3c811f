import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Part, Role } from '#resources/message/schema.ts';
import { type Found, wordTable } from '../table.ts';

type RoleV1 = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT';
type RoleV03 = 'user' | 'agent';

const SAID_BY = 'which of the agent side spoke';

/** Spec: A2A 1.0, Role. */
export const ROLES_V1 = wordTable<Role, RoleV1>()({
  toForeign: {
    user: 'ROLE_USER',
    agent: 'ROLE_AGENT',
    assistant: { to: 'ROLE_AGENT', loses: `${SAID_BY}: assistant` },
    system: { to: 'ROLE_AGENT', loses: `${SAID_BY}: system` },
    tool: { to: 'ROLE_AGENT', loses: `${SAID_BY}: tool` },
  },
  fromForeign: {
    ROLE_USER: 'user',
    ROLE_AGENT: 'agent',
    ROLE_UNSPECIFIED: { to: null, loses: 'that a role was named at all' },
  },
});

/** Spec: A2A 0.3, Message.role. */
export const ROLES_V03 = wordTable<Role, RoleV03>()({
  toForeign: {
    user: 'user',
    agent: 'agent',
    assistant: { to: 'agent', loses: `${SAID_BY}: assistant` },
    system: { to: 'agent', loses: `${SAID_BY}: system` },
    tool: { to: 'agent', loses: `${SAID_BY}: tool` },
  },
  fromForeign: { user: 'user', agent: 'agent' },
});

/** Takes the words of both versions. */
export function decodeRole(raw: string): Found<Role> {
  const found = ROLES_V1.decode(raw);
  return found.known ? found : ROLES_V03.decode(raw);
}

/** Media types of the data parts that carry Harn tool traffic. A2A has no part for it; see mappings/README.md, Parts. */
const MEDIA_TYPES = {
  tool_call: 'application/vnd.harn.tool-call+json',
  tool_result: 'application/vnd.harn.tool-result+json',
} as const;

/** Member under which A2A 0.3 carries a value that is no object. */
const WRAPPED_VALUE = 'harn_value';

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

type ContentV1 = 'text' | 'raw' | 'url' | 'data';

/** Which content member of an A2A part carries each Harn part, and what the way there loses. */
export const PART_CONTENT = {
  text: { content: 'text' },
  json: { content: 'data', loses: 'in A2A 0.3, that a value was no object: it is wrapped' },
  tool_call: { content: 'data', loses: 'in A2A 0.3, the media type unless metadata is read' },
  tool_result: { content: 'data', loses: 'in A2A 0.3, the media type unless metadata is read' },
  artifact_ref: { content: 'raw', loses: 'the artifact id: the bytes travel' },
  image_ref: { content: 'raw', loses: 'the artifact id: the bytes travel' },
  file_ref: { content: 'url' },
} as const satisfies Record<Part['type'], { content: ContentV1; loses?: string }>;

/** Every content member comes back as a Harn part; bytes become an Artifact first. */
export const CONTENT_PART = {
  text: { part: 'text' },
  data: { part: 'json' },
  url: { part: 'file_ref' },
  raw: { part: 'artifact_ref', loses: 'that the bytes came inline' },
} as const satisfies Record<ContentV1, { part: Part['type']; loses?: string }>;

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
