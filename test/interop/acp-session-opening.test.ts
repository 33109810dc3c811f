import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const LOADS = { loadSession: true };
const MODES = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };

describe('a task that is cancelled while its session at the agent is opened', () => {
  let agent: ScriptedAcpAgent;
  let gateway: TestGateway;

  beforeEach(async () => {
    agent = await ScriptedAcpAgent.start(LOADS);
  });
  afterEach(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await agent.close();
  });

  async function open(cancelWaitMs: number) {
    gateway = await startTestGateway({
      extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
      config: { limits: { cancel_wait_ms: cancelWaitMs } },
    });
  }
  const submit = (text: string, sessionId?: string, more: Record<string, unknown> = {}) =>
    gateway.client.submit(text, sessionId, { route: 'acp:peer', ...more });
  const cancel = (task: Task) => gateway.client.post<Task>(`/v1/tasks/${task.id}/cancel`);

  /** Answers the next prompt; the text of its blocks. */
  async function prompted(): Promise<string[]> {
    const prompt = await agent.next('session/prompt');
    agent.answer(prompt, { stopReason: 'end_turn' });
    return (prompt.params['prompt'] as { text: string }[]).map(({ text }) => text);
  }

  const prompts = () => agent.methods().filter((method) => method === 'session/prompt').length;

  it('[ACP-USER-23] is never told to the agent: the session is kept for the next prompt', async () => {
    await open(60_000);
    const task = await submit('first');
    const opening = await agent.next('session/new');
    const canceled = cancel(task);
    await expect.poll(() => kinds(task)).toContain('user.cancel_requested');
    agent.answer(opening, { sessionId: 's-1', modes: MODES });
    expect((await canceled).status).toBe('CANCELED');
    const next = await submit('second', task.session_id);
    expect(await prompted()).toEqual([expect.stringContaining('first'), 'second']);
    await gateway.client.until(next.id, 'COMPLETED');
    expect(agent.methods()).toEqual(['initialize', 'session/new', 'session/prompt']);
    const told = (await gateway.client.events(`/v1/tasks/${next.id}/events`)).map(
      ({ payload }) => payload['note'] ?? payload['kind'],
    );
    expect(told).toEqual(expect.arrayContaining(['agent_session', 'modes']));
  });

  it('the next prompt waits for the same session, and is the first that the agent hears', async () => {
    await open(50);
    const task = await submit('first');
    const opening = await agent.next('session/new');
    expect((await cancel(task)).status).toBe('CANCELED');
    const next = await submit('second', task.session_id);
    await gateway.client.until(next.id, 'WORKING');
    agent.answer(opening, { sessionId: 's-1' });
    expect((await prompted()).at(-1)).toBe('second');
    await gateway.client.until(next.id, 'COMPLETED');
    expect(agent.methods()).toEqual(['initialize', 'session/new', 'session/prompt']);
  });

  it('a session that is loaded is not prompted before it is', async () => {
    await open(50);
    const first = await submit('first');
    agent.answer(await agent.next('session/new'), { sessionId: 's-1' });
    await prompted();
    await gateway.client.until(first.id, 'COMPLETED');
    agent.die();
    const task = await submit('second', first.session_id);
    const loading = await agent.next('session/load');
    expect((await cancel(task)).status).toBe('CANCELED');
    const next = await submit('third', first.session_id);
    await gateway.client.until(next.id, 'WORKING');
    agent.tell('s-1', { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'first' } });
    expect(prompts()).toBe(1);
    agent.answer(loading, {});
    expect(await prompted()).toEqual(['third']);
    await gateway.client.until(next.id, 'COMPLETED');
    expect(agent.methods().filter((method) => method === 'session/load')).toHaveLength(1);
    const notes = (await gateway.client.events(`/v1/tasks/${next.id}/events`)).filter(
      ({ payload }) => payload['note'] === 'agent_session',
    );
    expect(notes).toMatchObject([{ payload: { details: { how: 'loaded', replayed_updates: 1 } } }]);
  });

  it('a session that could not be opened is opened again by the next prompt', async () => {
    await open(50);
    const task = await submit('first');
    const opening = await agent.next('session/new');
    await cancel(task);
    const next = await submit('second', task.session_id);
    await gateway.client.until(next.id, 'WORKING');
    agent.refuse(opening, { code: -32603, message: 'not now' });
    agent.answer(await agent.next('session/new'), { sessionId: 's-2' });
    expect((await prompted()).at(-1)).toBe('second');
    await gateway.client.until(next.id, 'COMPLETED');
  });

  async function kinds(task: Task): Promise<string[]> {
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    return events.map(({ event }) => event);
  }
});
