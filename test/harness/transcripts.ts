import { type Transcript, transcript } from '#resources/session/transcript/schema.ts';
import { type TestClient, userText } from './client.ts';

/** The transcript of a Session, checked against its schema. */
export async function transcriptOf(client: TestClient, sessionId: string): Promise<Transcript> {
  return transcript.parse(await client.get(`/v1/sessions/${sessionId}/transcript`));
}

/** The texts of the messages layer, in order; other blocks by their type. */
export function textsOf({ messages }: Transcript): unknown[] {
  return messages.flatMap(({ content }) => content.map((block) => block['text'] ?? block.type));
}

export function kindsOf({ events }: Transcript): string[] {
  return events.map(({ kind }) => kind);
}

/** A Session with these user messages in its transcript, none of them waiting for a Task. */
export async function sessionSaying(
  client: TestClient,
  texts: readonly string[],
  metadata?: Record<string, unknown>,
): Promise<string> {
  const { id } = await client.session(metadata);
  for (const text of texts) await append(client, id, text);
  // What was appended goes out with the next task; only then it is no longer needed.
  await client.until((await client.submit('hi', id)).id, 'COMPLETED');
  return id;
}

export async function append(client: TestClient, sessionId: string, text: string): Promise<void> {
  await client.post(`/v1/sessions/${sessionId}/messages`, { message: userText(text) });
}

/** A user message with an image, whose bytes are uploaded. Returns the id of the artifact. */
export async function appendImage(client: TestClient, sessionId: string, bytes: Buffer): Promise<string> {
  const { id } = await client.post<{ id: string }>('/v1/artifacts', {
    kind: 'image',
    mime_type: 'image/png',
    visibility: 'public',
    workspace_id: 'workspace_default',
  });
  await client.call('PUT', `/v1/artifacts/${id}/content`, {
    body: bytes,
    headers: { 'content-type': 'image/png' },
  });
  const image = { type: 'image_ref', artifact_id: id, mime_type: 'image/png', visibility: 'public' };
  const text = { type: 'text', text: 'Review this screenshot', visibility: 'public' };
  const message = { role: 'user', parts: [image, text] };
  await client.post(`/v1/sessions/${sessionId}/messages`, { message });
  return id;
}
