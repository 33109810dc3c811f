import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { Part } from '#resources/message/schema.ts';
import { BLOCK_FACTS } from './content.ts';

/** Bytes of an Artifact that is sent inside a block; undefined where only a link is sent. */
export type ReadArtifact = (id: string) => { base64: string; mimeType: string } | undefined;

/** The URI of an Artifact of this gateway as an MCP resource. */
export function artifactUri(id: string): string {
  return `harn://artifacts/${id}`;
}

/** The content block of a part; undefined for the parts that are the call and its result themselves. */
export function blockOfPart(part: Part, read: ReadArtifact): JsonObject | undefined {
  const facts = factsOf(part);
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
function factsOf(part: Part): JsonObject {
  return objectOf(part.metadata?.[BLOCK_FACTS]);
}
