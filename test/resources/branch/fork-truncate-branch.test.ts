import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Branch } from '#resources/branch/schema.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';

describe('fork, truncate and branches', () => {
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  async function sessionWith(...texts: string[]): Promise<Session> {
    const session = await gateway.client.session();
    for (const text of texts) {
      await gateway.client.post(`/v1/sessions/${session.id}/messages`, { message: userText(text) });
    }
    return session;
  }

  async function texts(sessionId: string): Promise<unknown[]> {
    const { data } = await gateway.client.get<{ data: Message[] }>(`/v1/sessions/${sessionId}/messages`);
    return data.map(({ parts }) => (parts[0]?.type === 'text' ? parts[0].text : parts[0]));
  }

  it('forks a transcript at an event and leaves both sides independent', async () => {
    const source = await sessionWith('one', 'two', 'three');
    const events = await gateway.client.events(`/v1/sessions/${source.id}/events`);
    const second = events.filter(({ event }) => event === 'session.message_appended')[1];
    const fork = await gateway.client.post<Session>(`/v1/sessions/${source.id}/fork`, {
      at_event_id: second?.id,
    });
    await gateway.client.post(`/v1/sessions/${fork.id}/messages`, { message: userText('other') });
    expect(await texts(fork.id)).toEqual(['one', 'two', 'other']);
    expect(await texts(source.id)).toEqual(['one', 'two', 'three']);
    expect(fork).toMatchObject({ parent_session_id: source.id, root_session_id: source.id, state: 'IDLE' });
    const branch = await gateway.client.get<Branch>(`/v1/branches/${fork.branch_id}`);
    expect(branch).toMatchObject({ kind: 'session', session_id: source.id });
  });

  it('refuses to fork at an event of another session', async () => {
    const source = await sessionWith('one');
    const other = await sessionWith('two');
    const [event] = await gateway.client.events(`/v1/sessions/${other.id}/events`);
    const answer = await gateway.client.call('POST', `/v1/sessions/${source.id}/fork`, {
      body: { at_event_id: event?.id },
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param: 'at_event_id' } });
  });

  it('keeps the first turns in place, cancels the running task, and appends after them', async () => {
    const session = await sessionWith('one', 'two');
    const task = await gateway.client.submit('slow 30', session.id);
    const result = await gateway.client.post<Record<string, unknown>>(`/v1/sessions/${session.id}/truncate`, {
      keep_first: 1,
    });
    expect(result).toMatchObject({
      object: 'session.truncate_result',
      kept_turn_count: 1,
      session_id: session.id,
    });
    expect(result['removed_turn_count']).toBeGreaterThanOrEqual(2);
    await gateway.client.until(task.id, 'CANCELED');
    await gateway.client.post(`/v1/sessions/${session.id}/messages`, { message: userText('after') });
    expect(await texts(session.id)).toEqual(['one', 'after']);
  });

  it('truncating to as many turns as there are changes nothing', async () => {
    const session = await sessionWith('one');
    const result = await gateway.client.post(`/v1/sessions/${session.id}/truncate`, { keep_first: 9 });
    expect(result).toMatchObject({ kept_turn_count: 1, removed_turn_count: 0 });
    const kinds = (await gateway.client.events(`/v1/sessions/${session.id}/events`)).map(
      ({ event }) => event,
    );
    expect(kinds).not.toContain('session.truncated');
  });

  it('gives the agent a new context after a truncation', async () => {
    const session = await gateway.client.session();
    const first = await gateway.client.submit('hi', session.id);
    await gateway.client.until(first.id, 'COMPLETED');
    await gateway.client.post(`/v1/sessions/${session.id}/truncate`, { keep_first: 0 });
    const second = await gateway.client.submit('hi again', session.id);
    await gateway.client.until(second.id, 'COMPLETED');
    const contexts = (await gateway.client.events(`/v1/sessions/${session.id}/events`))
      .filter(({ event }) => event === 'vendor.harn_gateway.upstream_bound')
      .flatMap(({ payload }) => payload['session_binding'] ?? []);
    expect(contexts).toHaveLength(2);
    expect(contexts[0]).not.toEqual(contexts[1]);
  });

  it('marks events and artifacts of a task with its branch until the branch ends', async () => {
    const session = await gateway.client.session();
    const branch = await gateway.client.post<Branch>(`/v1/sessions/${session.id}/branches`, {
      kind: 'task',
      base_ref: 'main',
    });
    const input = userText('stream 2');
    const task = await gateway.client.post<{ id: string }>('/v1/tasks', {
      session_id: session.id,
      branch_id: branch.id,
      input,
    });
    await gateway.client.until(task.id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    expect(new Set(events.map(({ metadata }) => JSON.stringify(metadata)))).toEqual(
      new Set([JSON.stringify({ branch_id: branch.id })]),
    );
    const { data } = await gateway.client.get<{ data: { metadata: object }[] }>(
      `/v1/artifacts?task_id=${task.id}`,
    );
    expect(data[0]?.metadata).toMatchObject({ branch_id: branch.id });
    const itself = await gateway.client.call('POST', `/v1/branches/${branch.id}/merge`, {
      body: { into: branch.id },
    });
    expect(itself).toMatchObject({ status: 400, body: { error: { param: 'into' } } });
    const merged = await gateway.client.post<Branch>(`/v1/branches/${branch.id}/merge`, {
      metadata: { by: 'me' },
    });
    expect(merged).toMatchObject({ merged_into: null, metadata: { by: 'me' } });
    const late = await gateway.client.call('POST', '/v1/tasks', {
      body: { session_id: session.id, branch_id: branch.id, input },
    });
    expect(late.status).toBe(409);
    const abandoned = await gateway.client.call('POST', `/v1/branches/${branch.id}/abandon`);
    expect(abandoned.status).toBe(409);
  });
});
