import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import type { TestClient } from '../../harness/client.ts';

const stage = stageOf({
  keys: [
    { actor: 'actor_reader', scopes: ['permissions:read'], workspaces: ['workspace_default'] },
    { actor: 'actor_stranger', tenant: 'tenant_other', workspaces: ['workspace_other'] },
  ],
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_other', tenant: 'tenant_other' }],
  },
});

const listOf = (client: TestClient, path: string) => client.get<{ data: PermissionRequest[] }>(path);

describe('permission requests of an A2A agent', () => {
  async function asked(text: 'ask' | 'login') {
    const { client } = stage;
    const task = await client.submit(text);
    await client.until(task.id, text === 'ask' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED');
    const { data } = await listOf(client, `/v1/tasks/${task.id}/permission-requests`);
    expect(data).toHaveLength(1);
    return { task, request: data[0] as PermissionRequest };
  }

  const respond = (request: PermissionRequest, body: object) =>
    stage.client.call('POST', `/v1/permission-requests/${request.id}/respond`, { body });

  it('a task that asks for input waits in the queue, and its session is PAUSED', async () => {
    const { task, request } = await asked('ask');
    expect(request).toMatchObject({
      status: 'pending',
      source: 'hitl',
      task_id: task.id,
      session_id: task.session_id,
      request: { kind: 'elicitation', options: [] },
      response: null,
    });
    expect((await stage.client.get<Session>(`/v1/sessions/${task.session_id}`)).state).toBe('PAUSED');
    const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
    const blocked = events.find(({ event }) => event === 'task.input_required');
    expect(blocked?.payload['request_id']).toBe(request.id);
  });

  it('an answered elicitation continues the task as a task message does', async () => {
    const { task, request } = await asked('ask');
    const { status, body } = await respond(request, { answer: 'blue' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'approved', response: { answer: 'blue', reviewer: 'actor_test' } });
    await stage.client.until(task.id, 'COMPLETED');
    const kinds = (await stage.client.events(`/v1/tasks/${task.id}/events`)).map(({ event }) => event);
    expect(kinds).toContain('user.input_submitted');
    expect(kinds).toContain('vendor.harn_gateway.permission_resolved');
  });

  it('a task message of kind input resolves the request with the answer', async () => {
    const { task, request } = await asked('ask');
    const message = await stage.client.answer(task.id, 'green');
    await stage.client.until(task.id, 'COMPLETED');
    const { data } = await listOf(stage.client, `/v1/permission-requests?task_id=${task.id}`);
    expect(data).toMatchObject([
      { id: request.id, status: 'approved', response: { answer: 'green', message_id: message.id } },
    ]);
  });

  it('an approved authorization is told to the agent, which goes on', async () => {
    const { task, request } = await asked('login');
    expect(request.request.options.map(({ option_id }) => option_id)).toEqual(['approve', 'deny']);
    expect((await respond(request, { approved: true })).status).toBe(200);
    await stage.client.until(task.id, 'COMPLETED');
  });

  it('a tool confirmation message approves an authorization', async () => {
    const { task, request } = await asked('login');
    const part = { type: 'json', value: { request_id: request.id, approved: true }, visibility: 'public' };
    const body = { kind: 'tool_confirmation', message: { role: 'user', parts: [part] } };
    expect((await stage.client.call('POST', `/v1/tasks/${task.id}/messages`, { body })).status).toBe(201);
    await stage.client.until(task.id, 'COMPLETED');
  });

  it('a denial cancels the task, because the agent cannot be told one', async () => {
    const { task, request } = await asked('login');
    const { body } = await respond(request, { outcome: 'rejected', reason: 'Not today.', reviewer: 'ann' });
    expect(body).toMatchObject({
      status: 'denied',
      response: { approved: false, option_id: 'deny', reason: 'Not today.', reviewer: 'ann' },
    });
    expect((await stage.client.get<{ status: string }>(`/v1/tasks/${task.id}`)).status).toBe('CANCELED');
  });

  it('a canceled task denies what it waited for, and answering then is a conflict', async () => {
    const { task, request } = await asked('ask');
    await stage.client.post(`/v1/tasks/${task.id}/cancel`);
    const { status, body } = await respond(request, { answer: 'late' });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: { code: 'conflict', details: { status: 'denied', reason: 'canceled' } },
    });
  });

  it.each([
    ['close', 'close', undefined],
    ['truncate', 'truncate', { keep_first: 0 }],
  ])('a session %s denies what its tasks waited for', async (_name, verb, body) => {
    const { task, request } = await asked('ask');
    await stage.client.post(`/v1/sessions/${task.session_id}/${verb}`, body);
    const { data } = await listOf(stage.client, `/v1/permission-requests?session_id=${task.session_id}`);
    expect(data).toMatchObject([{ id: request.id, status: 'denied', response: { reason: 'canceled' } }]);
  });

  it('[S9-10] the first of many answers at the same time wins, all others are conflicts', async () => {
    const { task, request } = await asked('ask');
    const answers = Array.from({ length: 8 }, (_, at) => respond(request, { answer: `answer ${at}` }));
    const message = stage.client.call('POST', `/v1/tasks/${task.id}/messages`, {
      body: {
        kind: 'input',
        message: { role: 'user', parts: [{ type: 'text', text: 'm', visibility: 'public' }] },
      },
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    const wins = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(wins + Number((await message).status === 201)).toBe(1);
    await stage.client.until(task.id, 'COMPLETED');
  });

  it('a repeated answer with the same Idempotency-Key gets the same response', async () => {
    const { request } = await asked('ask');
    const path = `/v1/permission-requests/${request.id}/respond`;
    const first = await stage.client.post(path, { answer: 'blue' }, 'key-respond');
    expect(await stage.client.post(path, { answer: 'blue' }, 'key-respond')).toEqual(first);
  });

  it.each([
    [{}, 'approved'],
    [{ approved: true, outcome: 'denied', answer: 'x' }, 'outcome'],
    [{ approved: true }, 'answer'],
    [{ answer: { option_id: 'nope' } }, 'answer.option_id'],
    [{ answer: { parts: [{ type: 'text' }] } }, 'answer.parts[0].text'],
    [{ outcome: 'perhaps' }, 'outcome'],
  ])('refuses the answer %j at %s and stays pending', async (body, param) => {
    const { task, request } = await asked('ask');
    const answer = await respond(request, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param } });
    expect((await listOf(stage.client, `/v1/tasks/${task.id}/permission-requests`)).data[0]?.status).toBe(
      'pending',
    );
  });

  it('an option that says the opposite of approved is a contradiction', async () => {
    const { request } = await asked('login');
    const answer = await respond(request, { approved: true, answer: { option_id: 'deny' } });
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param: 'answer.option_id' } });
  });

  it('a tool confirmation is refused where nothing waits for one', async () => {
    const { task } = await asked('ask');
    const parts = [{ type: 'json', value: { approved: true }, visibility: 'public' }];
    const body = { kind: 'tool_confirmation', message: { role: 'user', parts } };
    const answer = await stage.client.call('POST', `/v1/tasks/${task.id}/messages`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_state_transition' } });
  });

  it('reading does not allow to respond, and another tenant finds nothing', async () => {
    const { task, request } = await asked('ask');
    const { actor_reader: reader, actor_stranger: stranger } = stage.gateway.clients;
    const path = `/v1/permission-requests/${request.id}/respond`;
    expect((await reader?.call('POST', path, { body: { answer: 'x' } }))?.status).toBe(403);
    expect((await reader?.call('GET', '/v1/permission-requests'))?.status).toBe(200);
    expect((await stranger?.call('POST', path, { body: { answer: 'x' } }))?.status).toBe(404);
    expect((await stranger?.call('GET', `/v1/permission-requests?task_id=${task.id}`))?.status).toBe(404);
    const { data } = await listOf(stranger as TestClient, '/v1/permission-requests');
    expect(data).toEqual([]);
  });

  it('lists page to the end, newest first', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await stage.client.get<{ data: PermissionRequest[]; next_cursor: string | null }>(
        `/v1/permission-requests?limit=3${cursor}`,
      );
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual([...seen].sort().reverse());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(3);
  });
});
