import type { Part } from '#resources/message/schema.ts';

/** Media types of the data parts that carry Harn tool traffic. A2A has no part for it; see mappings/README.md, Parts. */
export const MEDIA_TYPES = {
  tool_call: 'application/vnd.harn.tool-call+json',
  tool_result: 'application/vnd.harn.tool-result+json',
} as const;

/** Member under which A2A 0.3 carries a value that is no object. */
export const WRAPPED_VALUE = 'harn_value';

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

export type ContentV1 = 'text' | 'raw' | 'url' | 'data';

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
