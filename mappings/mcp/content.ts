import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { Part } from '#resources/message/schema.ts';
import { wordTable } from '../table.ts';

type BlockType = 'text' | 'image' | 'audio' | 'resource' | 'resource_link';
type PartForm = 'text' | 'image_ref' | 'artifact_ref' | 'file_ref' | 'json' | 'tool_call' | 'tool_result';

/** Content blocks and parts. Spec: MCP 2025-11-25, ContentBlock; Agents Protocol v1, "Message, part, and artifact". */
export const BLOCKS = wordTable<PartForm, BlockType>()({
  toForeign: {
    text: 'text',
    image_ref: 'image',
    artifact_ref: 'resource',
    file_ref: 'resource_link',
    json: { to: 'text', loses: 'that it is JSON: it goes out as its text' },
    tool_call: { to: null, loses: 'a call inside a result has no block' },
    tool_result: { to: null, loses: 'the result of a call is the whole answer, not a block of it' },
  },
  fromForeign: {
    text: 'text',
    image: 'image_ref',
    audio: { to: 'artifact_ref', loses: 'that it is audio but for its media type: there is no audio part' },
    resource: 'artifact_ref',
    resource_link: 'file_ref',
  },
});

/** Member of a part's metadata that keeps what a block says beyond the part. */
const BLOCK_FACTS = 'mcp';

const OCTETS = 'application/octet-stream';

/** What a content block is as a part; a block of an unknown type is kept whole, as JSON. */
export function partOfBlock(block: JsonValue): DraftPart {
  const given = objectOf(block);
  const found = BLOCKS.decode(textOf(given['type']));
  if (!found.known) return { type: 'json', value: block, visibility: 'public' };
  return PART_OF[given['type'] as BlockType](given);
}

const PART_OF: { readonly [Type in BlockType]: (block: JsonObject) => DraftPart } = {
  text: (block) => ({
    type: 'text',
    text: textOf(block['text']),
    visibility: 'public',
    ...factsOf(block, ['type', 'text']),
  }),
  image: (block) => bytesPart(block, textOf(block['data']), mimeOf(block), ['type', 'data', 'mimeType']),
  audio: (block) => bytesPart(block, textOf(block['data']), mimeOf(block), ['data', 'mimeType']),
  resource: resourcePart,
  resource_link: (block) => ({
    type: 'file_ref',
    uri: textOf(block['uri']),
    mime_type: mimeOf(block),
    visibility: 'public',
    ...factsOf(block, ['type', 'uri', 'mimeType']),
  }),
};

/** An embedded resource is an Artifact, whether its contents are text or bytes; its URI stays with it. */
function resourcePart(block: JsonObject): DraftPart {
  const resource = objectOf(block['resource']);
  const blob = resource['blob'];
  const isText = typeof blob !== 'string';
  const base64 = isText ? Buffer.from(textOf(resource['text'])).toString('base64') : blob;
  const { blob: _blob, text: _text, mimeType: _mime, ...rest } = resource;
  const mime =
    typeof resource['mimeType'] === 'string' ? resource['mimeType'] : isText ? 'text/plain' : OCTETS;
  const name = nameOfUri(textOf(resource['uri']));
  return {
    ...bytesPart({ ...block, resource: { ...rest, text: isText } }, base64, mime, []),
    ...(name === undefined ? {} : { name }),
  };
}

function bytesPart(
  block: JsonObject,
  base64: string,
  mime_type: string,
  handled: readonly string[],
): DraftPart {
  return { type: 'bytes', base64, mime_type, ...factsOf(block, handled) };
}

/** What the part itself does not say; nothing when it says all. */
function factsOf(block: JsonObject, handled: readonly string[]): { metadata?: JsonObject } {
  const rest = Object.fromEntries(Object.entries(block).filter(([name]) => !handled.includes(name)));
  return Object.keys(rest).length === 0 ? {} : { metadata: { [BLOCK_FACTS]: rest } };
}

function mimeOf(block: JsonObject): string {
  return typeof block['mimeType'] === 'string' ? block['mimeType'] : OCTETS;
}

function nameOfUri(uri: string): string | undefined {
  const last = uri.split(/[/\\]/).at(-1);
  return last === undefined || last === '' ? undefined : last.slice(0, 200);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Bytes of an Artifact that is sent inside a block; undefined where only a link is sent. */
type ReadArtifact = (id: string) => { base64: string; mimeType: string } | undefined;

/** The URI of an Artifact of this gateway as an MCP resource. */
export function artifactUri(id: string): string {
  return `harn://artifacts/${id}`;
}

/** The content block of a part; undefined for the parts that are the call and its result themselves. */
export function blockOfPart(part: Part, read: ReadArtifact): JsonObject | undefined {
  const facts = keptFacts(part);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...facts };
    case 'json':
      return { type: 'text', text: JSON.stringify(part.value) };
    case 'file_ref':
      return { name: part.uri, ...facts, type: 'resource_link', uri: part.uri, mimeType: part.mime_type };
    case 'image_ref':
    case 'artifact_ref':
      return artifactBlock(part.artifact_id, part.type, facts, read);
    case 'tool_call':
    case 'tool_result':
      return undefined;
  }
}

/** A link to an Artifact, for what is too large or was never inside a message. */
export function linkTo({ id, mime_type }: Pick<Artifact, 'id' | 'mime_type'>): JsonObject {
  return { type: 'resource_link', uri: artifactUri(id), name: id, mimeType: mime_type };
}

function artifactBlock(
  id: string,
  type: 'image_ref' | 'artifact_ref',
  facts: JsonObject,
  read: ReadArtifact,
): JsonObject {
  const content = read(id);
  if (content === undefined) return { type: 'resource_link', uri: artifactUri(id), name: id };
  const { base64, mimeType } = content;
  if (type === 'image_ref') return { ...facts, type: 'image', data: base64, mimeType };
  if (facts['type'] === 'audio') return { ...facts, type: 'audio', data: base64, mimeType };
  const { resource, ...rest } = facts;
  if (facts['type'] !== 'resource') return linkTo({ id, mime_type: mimeType });
  const { text: isText, ...held } = resource as JsonObject;
  const content_ = isText === true ? { text: Buffer.from(base64, 'base64').toString() } : { blob: base64 };
  return { ...rest, type: 'resource', resource: { ...held, mimeType, ...content_ } };
}

/** What a block said beyond its part, kept when it came in. */
function keptFacts(part: Part): JsonObject {
  return objectOf(part.metadata?.[BLOCK_FACTS]);
}
