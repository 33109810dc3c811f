import { describe, expect, it } from 'vitest';
import type { Message } from '#resources/message/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

const visibility = 'public';
const PARTS = [
  { type: 'text', text: 'plain', visibility },
  { type: 'json', value: { a: [1, 2.5, null] }, visibility },
  { type: 'tool_call', tool_call_id: 'c1', name: 'add', input: { a: 1 }, visibility },
  { type: 'tool_result', tool_call_id: 'c1', output: 3, status: 'ok', visibility },
  { type: 'file_ref', uri: 'https://files.example/a.txt', mime_type: 'text/plain', visibility },
];

describe('messages', () => {
  const stage = stageOf();
  const append = async (session: string, message: object) =>
    stage.client.post<Message>(`/v1/sessions/${session}/messages`, { message });

  it('[CORE-RES-10] [C8] every kind of part comes back as sent, in order, in a whole envelope', async () => {
    const { id } = await stage.client.session();
    const answer = await append(id, { role: 'user', parts: PARTS, metadata: { from: 'cli' } });
    expect(answer).toMatchObject({
      object: 'message',
      role: 'user',
      parts: PARTS,
      metadata: { from: 'cli' },
      workspace_id: 'workspace_default',
      session_id: id,
      task_id: null,
    });
    expect(answer.updated_at).toBe(answer.created_at);
    expect(await stage.client.get(`/v1/messages/${answer.id}`)).toEqual(answer);
  });

  it.each(['user', 'assistant', 'system', 'tool', 'agent'])(
    '[CORE-RES-10] the role %s is kept, and each has its event',
    async (role) => {
      const { id } = await stage.client.session();
      const message = await append(id, { ...userText('said'), role });
      const events = await stage.client.events(`/v1/sessions/${id}/events`);
      const kinds = events.map(({ event }) => event);
      const own = { user: 'user.message', agent: 'agent.message', assistant: 'agent.message' }[role];
      expect(kinds).toEqual([
        'session.created',
        ...(own === undefined ? [] : [own]),
        'session.message_appended',
      ]);
      expect(await stage.client.get(`/v1/messages/${message.id}`)).toMatchObject({ role });
    },
  );

  it.each([
    ['another role', { role: 'robot', parts: [PARTS[0]] }, 'message.role'],
    ['no part', { role: 'user', parts: [] }, 'message.parts'],
    [
      'a part of another kind',
      { role: 'user', parts: [{ type: 'song', visibility }] },
      'message.parts[0].type',
    ],
    [
      'a part without visibility',
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      'message.parts[0].visibility',
    ],
    [
      'a tool result with another status',
      { role: 'user', parts: [{ ...PARTS[3], status: 'meh' }] },
      'message.parts[0].status',
    ],
  ])('[CORE-RES-10] a message with %s is refused', async (_why, message, param) => {
    const { id } = await stage.client.session();
    const answer = await stage.client.call('POST', `/v1/sessions/${id}/messages`, { body: { message } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it('[S9-05] what was appended outside a task goes to the agent before the next input, once', async () => {
    const { id } = await stage.client.session();
    await append(id, userText('first'));
    await append(id, userText('second'));
    const task = await stage.client.submit('third', id);
    await stage.client.until(task.id, 'COMPLETED');
    const sent = () =>
      stage
        .peer('sample')
        .requests.filter(({ body }) => body.includes('third'))
        .map(({ body }) => body);
    expect(sent().length).toBe(1);
    const at = ['first', 'second', 'third'].map((text) => sent()[0]?.indexOf(`"${text}"`) ?? -1);
    expect(at[0]).toBeGreaterThan(0);
    expect([...at].sort((a, b) => a - b)).toEqual(at);
    const next = await stage.client.submit('fourth', id);
    await stage.client.until(next.id, 'COMPLETED');
    const later = stage.peer('sample').requests.filter(({ body }) => body.includes('fourth'));
    expect(later[0]?.body).not.toContain('"first"');
  });

  it('[CORE-RES-05] the transcript has turns of people and agent in the order they were said', async () => {
    const { id } = await stage.client.session();
    const task = await stage.client.submit('ask', id);
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    await stage.client.answer(task.id, 'red');
    await stage.client.until(task.id, 'COMPLETED');
    const { data } = await stage.client.get<{ data: Message[] }>(`/v1/sessions/${id}/messages`);
    const said = data.map(({ role, parts }) => `${role}: ${parts[0]?.type === 'text' ? parts[0].text : ''}`);
    expect(said).toEqual([
      'user: ask',
      'agent: What is your favourite colour?',
      'user: red',
      'agent: Thank you.',
    ]);
    const appended = (await stage.client.events(`/v1/sessions/${id}/events`)).filter(
      ({ event }) => event === 'session.message_appended',
    );
    expect(appended.map(({ payload }) => payload['position'])).toEqual([0, 1, 2, 3]);
    expect(appended.map(({ payload }) => payload['message_id'])).toEqual(data.map((message) => message.id));
  });
});
