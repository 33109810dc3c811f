import { describe, expect, it } from 'vitest';
import type { Message } from '#resources/message/schema.ts';
import { agentMessage, artifact, statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { TestClient, userText } from '../harness/client.ts';
import { type Answer, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { stageOf } from './stage.ts';

const LIMIT = 1_024;
const LONG = 'Übergröße! '.repeat(200);
const WORDS = 'Übergröße';

describe('large metadata', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    config: { limits: { inline_payload_bytes: LIMIT } },
  });
  const run = async (...frames: Parameters<typeof stream>) => {
    script['SendStreamingMessage'] = () => stream(...frames);
    const task = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    return stage.client.until(task.id, 'COMPLETED', 'FAILED');
  };
  /** The artifact of the first reference anywhere in a JSON text. */
  const moved = async (value: unknown) => {
    const [, id, size] =
      /"large_metadata":\{"artifact_id":"([^"]+)","size":(\d+)\}/.exec(JSON.stringify(value)) ?? [];
    // Content is no resource, so it is read past the check of answers against the OpenAPI documents.
    const reader = new TestClient(stage.client.url, stage.client.key);
    const { text } = await reader.call('GET', `/v1/artifacts/${id}/content`);
    expect(Buffer.byteLength(text)).toBe(Number(size));
    return text;
  };
  const metadata = { note: LONG };
  const part = { ...userText('hi').parts[0], metadata };
  const task = { input: userText('hi') };

  it.each([
    ['POST', '/v1/sessions', { workspace_id: 'workspace_default', metadata }, 'metadata'],
    ['PATCH', '/v1/sessions/{session}', { metadata }, 'metadata'],
    ['PATCH', '/v1/sessions/{session}', { summary: LONG }, 'summary'],
    ['POST', '/v1/sessions/{session}/fork', { metadata }, 'metadata'],
    ['POST', '/v1/sessions/{session}/tasks', { ...task, metadata }, 'metadata'],
    ['POST', '/v1/sessions/{session}/tasks', { input: { ...task.input, metadata } }, 'input.metadata'],
    [
      'POST',
      '/v1/sessions/{session}/messages',
      { message: { role: 'user', parts: [userText('a').parts[0], part] } },
      'message.parts[1].metadata',
    ],
    [
      'POST',
      '/v1/sessions',
      {
        workspace_id: 'workspace_default',
        initial_messages: [userText('a'), { ...userText('b'), metadata }],
      },
      'initial_messages[1].metadata',
    ],
    ['POST', '/v1/workspaces', { name: 'w', root: 'harn://w', metadata }, 'metadata'],
    ['PATCH', '/v1/workspaces/workspace_default', { metadata }, 'metadata'],
    ['POST', '/v1/artifacts', { kind: 'file', mime_type: 'a/b', visibility: 'public', metadata }, 'metadata'],
  ])('[C27] %s %s refuses it (%#), and says what to do instead', async (method, path, body, param) => {
    const { id } = await stage.client.session();
    const refused = await stage.client.call(method, path.replace('{session}', id), { body });
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({
      error: { code: 'payload_too_large', param, details: { limit_bytes: LIMIT } },
    });
    expect(refused.text).toContain('Artifact');
    expect(refused.text).not.toContain(WORDS);
  });

  it('[C27] a refusal is kept under its key, and what fits is taken', async () => {
    const send = (value: string) =>
      stage.client.call('POST', '/v1/sessions', {
        body: { workspace_id: 'workspace_default', metadata: { value } },
        headers: { 'idempotency-key': 'large-metadata' },
      });
    const refused = await send(LONG);
    expect((await send(LONG)).body).toMatchObject({
      error: { code: 'payload_too_large', message: (refused.body['error'] as { message: string }).message },
    });
    const exact = { value: 'x'.repeat(LIMIT - '{"value":""}'.length) };
    expect((await stage.client.session(exact)).metadata).toEqual(exact);
  });

  it('[C27] patches that fit one by one may not grow the metadata past the limit', async () => {
    const { id } = await stage.client.session({ one: 'x'.repeat(600) });
    const patch = (body: object) => stage.client.call('PATCH', `/v1/sessions/${id}`, { body });
    const refused = await patch({ metadata: { two: 'y'.repeat(600) } });
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ error: { code: 'payload_too_large', param: 'metadata' } });
    expect((await patch({ metadata: { one: null, two: 'y'.repeat(600) } })).status).toBe(200);
  });

  it('[C27] a large payload object is a reference in the task and in its events', async () => {
    const { id } = await stage.client.session();
    const made = await stage.client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, {
      input: { text: LONG, metadata },
    });
    expect(made).toMatchObject({ input: { type: 'artifact_ref' } });
    const { text } = await stage.client.call('GET', `/v1/tasks/${made.id}/events`);
    expect(text).toContain('task.submitted');
    expect(text).not.toContain(WORDS);
  });

  it('[C27] what an agent tells with a status becomes an artifact, and the metadata says which', async () => {
    const done = await run(taskFrame('WORKING'), statusFrame('COMPLETED', undefined, { metadata }));
    expect(done.status).toBe('COMPLETED');
    expect(JSON.stringify(done)).not.toContain(WORDS);
    expect(await moved(done.metadata)).toContain(LONG);
    const { text } = await stage.client.call('GET', `/v1/tasks/${done.id}/events`);
    expect(text).not.toContain(WORDS);
  });

  it('[C27] so does the metadata of its messages, of their parts and of its artifacts', async () => {
    const made = { ...artifact('short'), metadata, parts: [{ text: 'short', metadata }] };
    const said = { ...agentMessage('hello'), metadata, parts: [{ text: 'hello', metadata }] };
    const done = await run(
      taskFrame('WORKING'),
      { result: { artifactUpdate: { taskId: 'r1', contextId: 'c1', artifact: made, lastChunk: true } } },
      statusFrame('COMPLETED', undefined, { status: { state: 'TASK_STATE_COMPLETED', message: said } }),
    );
    const { text } = await stage.client.call('GET', `/v1/tasks/${done.id}/events`);
    expect(text).not.toContain(WORDS);
    const messages = await stage.client.get<{ data: Message[] }>(`/v1/sessions/${done.session_id}/messages`);
    const spoken = messages.data.at(-1);
    expect(spoken).toMatchObject({ parts: [{ type: 'text', text: 'hello' }] });
    expect(await moved(spoken?.metadata)).toContain(LONG);
    expect(await moved(spoken?.parts[0]?.metadata)).toContain(LONG);
    const list = await stage.client.get<{ data: { metadata: object }[] }>(`/v1/artifacts?task_id=${done.id}`);
    expect(JSON.stringify(list)).not.toContain(WORDS);
    const own = list.data.find((one) => 'large_metadata' in one.metadata);
    expect(await moved(own?.metadata)).toContain(LONG);
  });
});
