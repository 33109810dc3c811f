import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import { wordTable } from '../table.ts';

export type BlockType = 'text' | 'image' | 'audio' | 'resource' | 'resource_link';
export type PartForm =
  | 'text'
  | 'image_ref'
  | 'artifact_ref'
  | 'file_ref'
  | 'json'
  | 'tool_call'
  | 'tool_result';

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
export const BLOCK_FACTS = 'mcp';

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
