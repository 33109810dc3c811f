import type { Part } from '#resources/message/schema.ts';

/** What a reference was before its content was too large for the log; undefined for one that a peer sent as such. */
export function inlinedFrom(part: Part): string | undefined {
  const form = part.type === 'artifact_ref' ? part.metadata?.['inlined_from'] : undefined;
  return typeof form === 'string' ? form : undefined;
}

/** The part that a reference stands for, by the content of its Artifact; any other part as it is. */
export function inlinedPart(part: Part, content: Buffer): Part {
  const form = inlinedFrom(part);
  if (part.type !== 'artifact_ref' || form === undefined) return part;
  const text = content.toString();
  const { inlined_from: _, ...metadata } = part.metadata ?? {};
  const rest = { visibility: part.visibility, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
  if (form === 'text') return { type: 'text', text, ...rest };
  if (form === 'json') return { type: 'json', value: JSON.parse(text), ...rest };
  return JSON.parse(text) as Part;
}
