import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Message } from '#resources/message/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { agentMessage, artifactFrame, statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { userText } from '../harness/client.ts';
import { type Answer, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { stageOf } from './stage.ts';

const LIMIT = 1_024;
const LONG = 'Übergröße! '.repeat(200);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('large payloads', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    config: { limits: { inline_payload_bytes: LIMIT } },
  });
  const content = async (id: string) => (await stage.client.call('GET', `/v1/artifacts/${id}/content`)).text;
  const referred = (message: Pick<Message, 'parts'>) => {
    const [part] = message.parts;
    if (part?.type !== 'artifact_ref') throw new Error(`not a reference: ${JSON.stringify(part)}`);
    return part.artifact_id;
  };

  it('[C27] [CORE-RES-12] text above the limit becomes an artifact; the agent still gets the text', async () => {
    const task = await stage.client.submit(LONG);
    expect(JSON.stringify(task)).not.toContain('Übergröße');
    const id = referred(task.input as Message);
    expect(await content(id)).toBe(LONG);
    expect(await stage.client.get(`/v1/artifacts/${id}`)).toMatchObject({
      sha256: sha256(LONG),
      mime_type: 'text/plain; charset=utf-8',
      task_id: task.id,
      session_id: task.session_id,
    });
    await stage.client.until(task.id, 'COMPLETED');
    const sent = stage.peer('sample').requests.at(-1);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ params: { message: { parts: [{ text: LONG }] } } });
  });

  it('[C27] at the limit it stays where it is', async () => {
    const exact = 'x'.repeat(LIMIT);
    expect((await stage.client.submit(exact)).input).toMatchObject({
      parts: [{ type: 'text', text: exact }],
    });
    expect((await stage.client.submit(`${exact}x`)).input).toMatchObject({
      parts: [{ type: 'artifact_ref' }],
    });
  });

  it('[C27] a large payload object, a large answer and a large appended message go the same way', async () => {
    const { id } = await stage.client.session();
    const value = { text: LONG };
    const payload = await stage.client.post<Task>(`/v1/sessions/${id}/tasks`, { input: value });
    await stage.client.until(payload.id, 'COMPLETED');
    expect(JSON.stringify(payload.input)).not.toContain('Übergröße');
    expect(JSON.parse(stage.peer('sample').requests.at(-1)?.body ?? '')).toMatchObject({
      params: { message: { parts: [{ data: value }] } },
    });
    const asking = await stage.client.submit('ask', id);
    await stage.client.until(asking.id, 'INPUT_REQUIRED');
    expect(await content(referred(await stage.client.answer(asking.id, LONG)))).toBe(LONG);
    await stage.client.until(asking.id, 'COMPLETED');
    const appended = await stage.client.post<Message>(`/v1/sessions/${id}/messages`, {
      message: userText(LONG),
    });
    expect(await content(referred(appended))).toBe(LONG);
  });

  it('[C27] what an agent says and makes is kept out of events when it is large', async () => {
    script['SendStreamingMessage'] = () =>
      stream(
        taskFrame('WORKING'),
        artifactFrame(LONG, false, true),
        statusFrame('COMPLETED', undefined, {
          status: {
            state: 'TASK_STATE_COMPLETED',
            message: { ...agentMessage('long'), parts: [{ text: LONG }] },
          },
        }),
      );
    const task = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    await stage.client.until(task.id, 'COMPLETED');
    const { text } = await stage.client.call('GET', `/v1/tasks/${task.id}/events`);
    expect(text).not.toContain('Übergröße');
    const { data } = await stage.client.get<{ data: { id: string }[] }>(`/v1/artifacts?task_id=${task.id}`);
    expect(await Promise.all(data.map(async ({ id }) => content(id)))).toEqual([LONG, LONG]);
    const messages = await stage.client.get<{ data: Message[] }>(`/v1/sessions/${task.session_id}/messages`);
    expect(await content(referred(messages.data.at(-1) as Message))).toBe(LONG);
  });
});
