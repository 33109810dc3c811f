import type { Call, Gateway } from '#gateway.ts';
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
