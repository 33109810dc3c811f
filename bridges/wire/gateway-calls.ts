import type { Call, Gateway } from '#gateway.ts';
import type { Part } from '#resources/message/schema.ts';
import type { CommandId, QueryId } from '#resources/operations.ts';

/** The JSON answer of an operation; `{}` of one that answers with nothing. Throws for one that answers with bytes or a stream. */
export async function ask<Resource>(
  gateway: Gateway,
  id: CommandId | QueryId,
  call: Call,
): Promise<Resource> {
  const { body } = await gateway.call(id, call);
  if (body.kind === 'json') return body.value as Resource;
  if (body.kind === 'raw_json') return JSON.parse(Buffer.concat(body.chunks).toString()) as Resource;
  if (body.kind === 'none') return {} as Resource;
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
  return { bytes: await wholeOf(body.chunks), mimeType: body.mimeType };
}

/** Bytes that came in pieces. */
export async function wholeOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of pieces) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What calls an operation for a client; gives its JSON answer. */
export type Asks = (
  id: 'registerArtifact' | 'uploadArtifactContent',
  call: Pick<Call, 'path' | 'body' | 'idempotencyKey'>,
) => Promise<{ id: string }>;

/**
 * Makes a public Artifact of what a client sent, since a Message refers to bytes and has none; gives its id. Each of the two calls
 * has a key of its own: one key for both would be the same key for different bodies.
 */
export async function storeBytes(
  asks: Asks,
  { base64, mimeType }: { base64: string; mimeType: string },
  owner: { workspace_id: string } | { session_id: string },
  keys: { register: string | undefined; upload: string | undefined },
): Promise<string> {
  const kind = mimeType.startsWith('image/') ? 'image' : 'file';
  const body = { kind, mime_type: mimeType, visibility: 'public', ...owner };
  const { id } = await asks('registerArtifact', { path: {}, body, idempotencyKey: keys.register });
  const content = { bytes: Buffer.from(base64, 'base64'), mimeType };
  const path = { artifact_id: id };
  await asks('uploadArtifactContent', { path, body: content, idempotencyKey: keys.upload });
  return id;
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
