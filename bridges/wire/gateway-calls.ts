import type { Call, Gateway } from '#gateway.ts';
import type { Part } from '#resources/message/schema.ts';
import type { CommandId, QueryId } from '#resources/operations.ts';

/** The JSON answer of an operation whose answer is one. */
export async function ask<Resource>(
  gateway: Gateway,
  id: CommandId | QueryId,
  call: Call,
): Promise<Resource> {
  const { body } = await gateway.call(id, call);
  if (body.kind === 'json') return body.value as Resource;
  if (body.kind === 'raw_json') return JSON.parse(Buffer.concat(body.chunks).toString()) as Resource;
  throw new Error(`${id} does not answer with JSON`);
}

/** The bytes of an operation whose answer is bytes. */
export async function askBytes(
  gateway: Gateway,
  id: QueryId,
  call: Call,
): Promise<{ bytes: Buffer; mimeType: string }> {
  const { body } = await gateway.call(id, call);
  if (body.kind !== 'bytes') throw new Error(`${id} does not answer with bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), mimeType: body.mimeType };
}

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
