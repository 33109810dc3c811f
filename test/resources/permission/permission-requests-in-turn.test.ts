import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';

describe('permission requests an agent waits for inside its turn', () => {
  let agent: AskingClient;
  let gateway: TestGateway;
  let data: string;
  /** Milliseconds by which the gateway's clock is ahead. */
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };

  async function open() {
    agent = new AskingClient();
    gateway = await startTestGateway({ data, clock, extraClients: [agent] });
  }

  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'harn-test-'));
    await open();
  });
  afterEach(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    rmSync(data, { recursive: true, force: true });
  });

  async function asked(word: string, status: Task['status'] = 'AUTH_REQUIRED') {
    const task = await gateway.client.submit(word, undefined, { route: agent.route });
    await gateway.client.until(task.id, status);
    return { task, requests: await requestsOf(task) };
  }

  /** Oldest first. */
  async function requestsOf(task: Task): Promise<PermissionRequest[]> {
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    return data.reverse();
  }

  const respond = (request: PermissionRequest | undefined, body: object) =>
    gateway.client.post<PermissionRequest>(`/v1/permission-requests/${request?.id}/respond`, body);

  async function kindsOf(task: Task): Promise<string[]> {
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    return events.map(({ event }) => event).filter((kind) => /^(tool|task)\.|confirmation/.test(kind));
  }

  async function said(task: Task): Promise<unknown> {
    const { data } = await gateway.client.get<{ data: { parts: { text?: string }[] }[] }>(
      `/v1/sessions/${task.session_id}/messages`,
    );
    return data.at(-1)?.parts[0]?.text;
  }

  it('a task that waits inside its turn keeps the lane of its session: the next one starts when it has ended', async () => {
    const { task, requests } = await asked('tool');
    const next = await gateway.client.submit('none', task.session_id, { route: agent.route });
    expect(next.status).toBe('SUBMITTED');
    await respond(requests[0], { approved: false });
    await gateway.client.until(task.id, 'COMPLETED');
    await gateway.client.until(next.id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/sessions/${task.session_id}/events`);
    const order = events.filter(({ event }) => event === 'task.started' || event === 'task.completed');
    expect(order.map(({ resource }) => resource.id)).toEqual([task.id, task.id, next.id, next.id]);
  });

  it('a tool call is approved by an option, and the running turn gets the option', async () => {
    const { task, requests } = await asked('tool');
    expect(requests).toMatchObject([
      {
        source: 'acp',
        action: 'delete_file',
        request: { kind: 'tool', tool_call: { tool_call_id: 'call-1', name: 'delete_file' } },
      },
    ]);
    const approved = await respond(requests[0], { outcome: 'selected', answer: { optionId: 'always' } });
    expect(approved).toMatchObject({ status: 'approved', response: { option_id: 'always' } });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task)).toBe('true:always');
    expect(await kindsOf(task)).toEqual([
      'task.submitted',
      'task.started',
      'tool.approval_required',
      'task.auth_required',
      'user.tool_confirmation',
      'tool.approved',
      'task.status_changed',
      'task.completed',
    ]);
  });

  it('approved without an option takes the narrowest one, never "always"', async () => {
    const { task, requests } = await asked('tool');
    await respond(requests[0], { approved: true });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task)).toBe('true:once');
  });

  it('a denied tool call is told to the agent, which decides how to go on', async () => {
    const { task, requests } = await asked('tool');
    const denied = await respond(requests[0], { approved: false, reason: 'Too risky.' });
    expect(denied).toMatchObject({
      status: 'denied',
      response: { option_id: 'never', reason: 'Too risky.' },
    });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await kindsOf(task)).toContain('tool.denied');
  });

  it('several requests are open at a time; the task works again when the last one is resolved', async () => {
    const { task, requests } = await asked('tools');
    expect(requests).toHaveLength(2);
    await respond(requests[1], { approved: true });
    expect((await gateway.client.get<Task>(`/v1/tasks/${task.id}`)).status).toBe('AUTH_REQUIRED');
    await respond(requests[0], { approved: false });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task)).toBe('false:never true:once');
  });

  it('a tool confirmation names its call where several wait', async () => {
    const { task, requests } = await asked('tools');
    const confirm = (value: object) =>
      gateway.client.call('POST', `/v1/tasks/${task.id}/messages`, {
        body: {
          kind: 'tool_confirmation',
          message: { role: 'user', parts: [{ type: 'json', value, visibility: 'public' }] },
        },
      });
    const unnamed = await confirm({ approved: true });
    expect(unnamed.body).toMatchObject({
      error: { code: 'invalid_request', details: { request_ids: requests.map(({ id }) => id) } },
    });
    expect((await confirm({ tool_call_id: 'call-2', approved: true })).status).toBe(201);
    expect((await confirm({ request_id: requests[1]?.id, approved: true })).status).toBe(409);
    expect((await confirm({ approved: false })).status).toBe(201);
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task)).toBe('false:never true:once');
  });

  it('a secret in a confirmation stays out of the log, and no original of it is kept', async () => {
    const { task } = await asked('tool');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const value = { approved: true, answer: { token: secret } };
    const message = { role: 'user', parts: [{ type: 'json', value, visibility: 'public' }] };
    await gateway.client.post(`/v1/tasks/${task.id}/messages`, { kind: 'tool_confirmation', message });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(JSON.stringify(agent.answers)).toContain(secret);
    expect(JSON.stringify(await allEvents(gateway.log))).not.toContain(secret);
    expect(await gateway.log.indexKeys({ gt: 's/', lt: 's0', limit: 9 })).toEqual([]);
  });

  it('a tool call is not answered by a message of kind input', async () => {
    const { task, requests } = await asked('tool');
    const answer = await gateway.client.call('POST', `/v1/tasks/${task.id}/messages`, {
      body: {
        kind: 'input',
        message: { role: 'user', parts: [{ type: 'text', text: 'y', visibility: 'public' }] },
      },
    });
    expect(answer.body).toMatchObject({ error: { code: 'invalid_state_transition', param: 'kind' } });
    await respond(requests[0], { approved: true });
  });

  it('an answer to an elicitation is a turn of the transcript and reaches the running turn', async () => {
    const { task } = await asked('form', 'INPUT_REQUIRED');
    await gateway.client.answer(task.id, 'blue');
    await gateway.client.until(task.id, 'COMPLETED');
    expect(agent.answers).toMatchObject([{ upstreamId: 'form-1', approved: true, answer: 'blue' }]);
  });

  it('a request the agent takes back is denied, and the task goes on', async () => {
    const task = await gateway.client.submit('withdraw', undefined, { route: agent.route });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await requestsOf(task)).toMatchObject([{ status: 'denied', response: { reason: 'withdrawn' } }]);
  });

  it('nobody answers in time: denied with the reason timeout, and the agent is told', async () => {
    const { task, requests } = await asked('brief');
    passed += 60_001;
    const late = await gateway.client.call('POST', `/v1/permission-requests/${requests[0]?.id}/respond`, {
      body: { approved: true },
    });
    expect(late.body).toMatchObject({ error: { code: 'conflict', details: { reason: 'timeout' } } });
    await gateway.tidy();
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await requestsOf(task)).toMatchObject([{ status: 'denied', response: { reason: 'timeout' } }]);
    expect(agent.answers).toMatchObject([{ approved: false, reason: 'timeout' }]);
  });

  it('what was asked before a restart is answered after it, and the task is taken up again', async () => {
    const { task, requests } = await asked('tool');
    await gateway.close();
    await open();
    await respond(requests[0], { approved: true });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task)).toBe('taken up again');
  });
});

describe('permission requests of an A2A agent over a restart', () => {
  it('the queue and its answers survive, and the agent gets the answer', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-test-'));
    const peer = await startSampleAgent();
    const config = { upstreams: { a2a: [{ id: 'sample', card: peer.cardUrl }] } };
    const before = await startTestGateway({ data, config });
    const task = await before.client.submit('ask');
    await before.client.until(task.id, 'INPUT_REQUIRED');
    await before.close();
    const after = await startTestGateway({ data, config });
    const { data: requests } = await after.client.get<{ data: PermissionRequest[] }>(
      '/v1/permission-requests',
    );
    expect(requests).toMatchObject([{ task_id: task.id, status: 'pending' }]);
    await after.client.post(`/v1/permission-requests/${requests[0]?.id}/respond`, { answer: 'blue' });
    await after.client.until(task.id, 'COMPLETED');
    await after.close();
    await peer.close();
    rmSync(data, { recursive: true, force: true });
  });
});
