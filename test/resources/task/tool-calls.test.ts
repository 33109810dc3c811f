import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { ToolClient } from '../../harness/tool-client.ts';

describe('tool calls that an agent tells of', () => {
  const agent = new ToolClient();
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({ extraClients: [agent] });
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
  });

  async function told(steps: object[], route = agent.route): Promise<Event[]> {
    const session = await gateway.client.session();
    const task = await gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, {
      input: { steps },
      metadata: { route },
    });
    await gateway.client.until(task.id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    return events.filter(({ event }) => /^(tool|span|agent)\./.test(event)) as unknown as Event[];
  }

  const call = { toolCallId: 'call-1', name: 'look' };
  const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

  it('a call is requested, told as used, and has a span with progress; input and output are hashed', async () => {
    const events = await told([
      { ...call, server: 'files', step: 'requested', input: { b: 1, a: 2 }, sideEffect: 'read' },
      { ...call, server: 'files', step: 'progress', progress: 1, total: 2, message: 'half' },
      { ...call, server: 'files', step: 'completed', output: 'seen' },
    ]);
    expect(events.map(({ event }) => event)).toEqual([
      'tool.requested',
      'agent.mcp_tool_use',
      'span.started',
      'span.updated',
      'tool.completed',
      'agent.tool_result',
      'span.completed',
    ]);
    expect(events[0]?.payload).toEqual({
      tool_call_id: 'call-1',
      name: 'look',
      server: 'files',
      material: 'fake:tools:call-1.0',
      input: { b: 1, a: 2 },
      input_sha256: hashOf('{"a":2,"b":1}'),
      side_effect: 'read',
    });
    expect(events[3]?.payload).toMatchObject({ name: 'tool look', progress: 1, total: 2, message: 'half' });
    expect(events[4]?.payload).toMatchObject({ output_sha256: hashOf('"seen"') });
  });

  it('the hash of an input and of an output tells no secret that was in it', async () => {
    const secret = `ghp_${'e5F6'.repeat(9)}`;
    const events = await told([
      { ...call, step: 'requested', input: { token: secret } },
      { ...call, step: 'completed', output: secret },
    ]);
    const [requested] = events;
    expect(requested?.payload['input_sha256']).toBe(hashOf(JSON.stringify(requested?.payload['input'])));
    expect(JSON.stringify(events)).not.toContain(hashOf(JSON.stringify({ token: secret })));
    expect(JSON.stringify(events)).not.toContain(hashOf(JSON.stringify(secret)));
  });

  it('a tool of the agent itself is agent.tool_use; a failed one says why, and its span failed', async () => {
    const failure = { code: 'tool_error', type: 'runtime_error', message: 'No eyes.' };
    const events = await told([
      { ...call, step: 'requested', input: {} },
      { ...call, step: 'failed', failure },
    ]);
    expect(events.map(({ event }) => event)).toEqual([
      'tool.requested',
      'agent.tool_use',
      'span.started',
      'tool.failed',
      'agent.tool_result',
      'span.failed',
    ]);
    expect(events[3]?.payload).toMatchObject({ server: null, error: failure });
    expect(events[4]?.payload).toMatchObject({ status: 'error' });
  });

  it('secrets in the input of a call stay out of its event', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const events = await told([{ ...call, step: 'requested', input: { note: `use ${token}` } }]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it('a Skill is a route: the task runs on its agent, which is told which one', async () => {
    await told([], 'skill:tools__look');
    expect(agent.turns.at(-1)).toMatchObject({ skillId: 'look', actor: 'actor_test' });
    const skill = await gateway.client.get('/v1/skills/tools__look');
    expect(skill).toMatchObject({
      name: 'tools__look',
      input_schema: { type: 'object' },
      version: 'sha256:00',
      requires_approval: true,
      metadata: { route: 'fake:tools', title: 'Look' },
    });
  });

  it('a Skill that nobody has is no route', async () => {
    const session = await gateway.client.session();
    const answer = await gateway.client.call('POST', `/v1/sessions/${session.id}/tasks`, {
      body: { input: {}, metadata: { route: 'skill:tools__hear' } },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'metadata.route' } } });
  });
});
