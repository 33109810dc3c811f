import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { AcpClientConfig } from '../../bridges/acp/index.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

describe('an ACP agent as an upstream', () => {
  let gateway: TestGateway;
  let dir: string;

  async function open(flags: string[] = [], config: Partial<AcpClientConfig> = {}) {
    const upstream = acpUpstream(flags, config);
    gateway = await startTestGateway({
      data: join(dir, 'data'),
      extraClients: [upstream],
      config: { limits: { cancel_wait_ms: 500 } },
    });
  }
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-acp-'));
    mkdirSync(join(dir, 'data'));
  });
  afterEach(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const submit = (text: string, sessionId?: string) =>
    gateway.client.submit(text, sessionId, { route: 'acp:peer' });

  async function done(text: string, sessionId?: string, status: Task['status'] = 'COMPLETED'): Promise<Task> {
    const task = await submit(text, sessionId);
    return gateway.client.until(task.id, status);
  }

  async function said(sessionId: string): Promise<(string | undefined)[]> {
    const { data } = await gateway.client.get<{ data: { role: string; parts: { text?: string }[] }[] }>(
      `/v1/sessions/${sessionId}/messages`,
    );
    return data.filter(({ role }) => role === 'agent').map(({ parts }) => parts[0]?.text);
  }

  const events = (task: Task) => gateway.client.events(`/v1/tasks/${task.id}/events`);
  const kinds = async (task: Task) => (await events(task)).map(({ event }) => event);

  /** Id of the process that the agent's session runs in; waits until it is known. */
  async function processOf(task: Task): Promise<number> {
    for (;;) {
      const bound = (await events(task)).find(({ event }) => event === 'vendor.harn_gateway.upstream_bound');
      const { session_id = undefined } = (bound?.payload['binding'] ?? {}) as { session_id?: string };
      if (session_id !== undefined) return Number(session_id.split('-')[1]);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function asked(task: Task, status: Task['status']): Promise<PermissionRequest> {
    await gateway.client.until(task.id, status);
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    return data[0] as PermissionRequest;
  }
  const respond = (request: PermissionRequest, body: object) =>
    gateway.client.post(`/v1/permission-requests/${request.id}/respond`, body);

  it('a prompt is a task; what the agent says is one message', async () => {
    await open();
    const task = await done('stream 3');
    expect(await said(task.session_id)).toEqual(['piece 1 piece 2 piece 3 ']);
    expect(task.metadata).toMatchObject({ acp: { stop_reason: 'end_turn' } });
    const updates = (await events(task)).filter(({ event }) => event === 'vendor.harn_gateway.agent_update');
    expect(updates.map(({ payload }) => payload['kind'])).toEqual([
      'modes',
      'agent_message_chunk',
      'agent_message_chunk',
      'agent_message_chunk',
    ]);
  });

  it('a second prompt goes to the same session of the agent', async () => {
    await open();
    const first = await done('hello');
    await done('history', first.session_id);
    expect(await said(first.session_id)).toEqual(['You said: hello', 'I know 1 turns']);
  });

  it.each([
    ['max', 'max_tokens'],
    ['refuse', 'refusal'],
    ['weird', 'unknown_stop_reason'],
    ['fail', 'agent_error'],
    ['die', 'upstream_unavailable'],
  ])('[ACP-TURN-04] %s fails the task as %s', async (word, code) => {
    await open();
    const task = await done(word, undefined, 'FAILED');
    expect(task.failure?.code).toBe(code);
  });

  it('[ACP-USER-14] an agent that died is started again, and is told what was said before', async () => {
    await open();
    const first = await done('hello');
    const dead = await done('die', first.session_id, 'FAILED');
    expect(dead.failure?.details).toMatchObject({ exit_code: 3, stderr_tail: 'the disk is on fire\n' });
    const next = await done('history', first.session_id);
    expect(await said(first.session_id)).toContain('I know 0 turns');
    const notes = (await events(next)).filter(({ event }) => event === 'vendor.harn_gateway.upstream_note');
    expect(notes[0]?.payload).toMatchObject({
      note: 'agent_session',
      details: { how: 'new', history_told_again: { turns: 3 }, own_session_lost: { reason: 'not_offered' } },
    });
  });

  it("after a restart the agent's own session is loaded, and nothing is said twice", async () => {
    const flags = ['--sessions', join(dir, 'agent')];
    await open(flags);
    const first = await done('hello');
    await gateway.close();
    await open(flags);
    await done('history', first.session_id);
    expect(await said(first.session_id)).toEqual(['You said: hello', 'I know 1 turns']);
  });

  it('[ACP-PERM-01] a permission is asked with its options, and reject means reject', async () => {
    await open();
    const task = await submit('edit');
    const request = await asked(task, 'AUTH_REQUIRED');
    expect(request).toMatchObject({ source: 'acp', request: { kind: 'tool', message: 'Write notes.txt' } });
    expect(request.request.options.map(({ option_id }) => option_id)).toEqual(['yes', 'no']);
    await respond(request, { outcome: 'selected', answer: { optionId: 'no' } });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task.session_id)).toEqual(['option no']);
    expect(await kinds(task)).toEqual(expect.arrayContaining(['tool.denied', 'tool.failed']));
  });

  it('an approved edit leaves the change as an artifact', async () => {
    await open();
    const task = await submit('edit');
    await respond(await asked(task, 'AUTH_REQUIRED'), { approved: true });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task.session_id)).toEqual(['option yes']);
    expect(await kinds(task)).toEqual(
      expect.arrayContaining(['tool.requested', 'tool.approved', 'tool.completed', 'artifact.created']),
    );
  });

  it('a form is an elicitation; its answer reaches the waiting turn', async () => {
    await open();
    const task = await submit('ask');
    const request = await asked(task, 'INPUT_REQUIRED');
    expect(request.request).toMatchObject({ kind: 'elicitation', message: 'Which colour?' });
    await respond(request, { answer: { colour: 'green' } });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await said(task.session_id)).toEqual(['accept {"colour":"green"}']);
  });

  it('[ACP-EXT-02] plans, usage, commands and updates of later versions are kept', async () => {
    await open();
    const task = await done('plan');
    expect(task.metadata).toMatchObject({ acp: { plan: { entries: [{ content: 'Look' }] } } });
    const session = await gateway.client.get<Session>(`/v1/sessions/${task.session_id}`);
    expect(session.metadata).toMatchObject({
      acp: {
        available_commands_update: { availableCommands: [{ name: 'web' }] },
        usage_update: { used: 10, size: 100 },
        modes: { modes: { currentModeId: 'ask' } },
      },
    });
    const update = (await events(task)).find(({ payload }) => payload['kind'] === 'from_the_future');
    expect(update?.payload).toMatchObject({ update: { body: { secret_of_tomorrow: 42 } } });
  });

  it('thoughts are internal', async () => {
    await open();
    const task = await done('think');
    const thought = (await events(task)).find(({ event }) => event === 'agent.reasoning_summary');
    expect(thought?.payload).toMatchObject({ parts: [{ text: 'Let me see.', visibility: 'internal' }] });
  });

  it('a cancel ends the turn, and the next prompt is not hit by it', async () => {
    await open();
    const task = await submit('slow 100');
    await gateway.client.until(task.id, 'WORKING');
    const canceled = await gateway.client.post<Task>(`/v1/tasks/${task.id}/cancel`);
    expect(canceled.status).toBe('CANCELED');
    await done('stream 1', task.session_id);
  });

  it('[ACP-TURN-03] [ACP-USER-02] a cancel with a permission pending denies it and frees the session', async () => {
    await open();
    const task = await submit('edit');
    const request = await asked(task, 'AUTH_REQUIRED');
    await gateway.client.post<Task>(`/v1/tasks/${task.id}/cancel`);
    const after = await asked(task, 'CANCELED');
    expect(after.id).toBe(request.id);
    expect(after).toMatchObject({ status: 'denied', response: { reason: 'canceled' } });
    await done('stream 1', task.session_id);
  });

  it('an agent that never lets go of a cancelled prompt does not block its session for ever', async () => {
    await open([], { limits: { cancel_grace_ms: 300 } });
    const task = await submit('stubborn');
    await processOf(task);
    await gateway.client.post<Task>(`/v1/tasks/${task.id}/cancel`);
    const next = await done('hello', task.session_id, 'FAILED');
    expect(next.failure?.details).toMatchObject({ reason: 'wedged' });
    await done('hello', task.session_id);
  });

  it('a second prompt while one runs waits for it', async () => {
    await open();
    const first = await submit('slow 3');
    const second = await submit('stream 1', first.session_id);
    expect(second.status).toBe('SUBMITTED');
    await gateway.client.until(second.id, 'COMPLETED');
    expect(await said(first.session_id)).toEqual(['step 1 step 2 step 3 ', 'piece 1 ']);
  });

  it('an update after the answer is told in the task that ended', async () => {
    await open();
    const first = await done('late');
    // Another session of the same agent: what it says comes behind the late update.
    await done('settle');
    const told = async () => (await events(first)).map(({ payload }) => payload['between_turns']);
    await expect.poll(told).toContain(true);
    const session = await gateway.client.get<Session>(`/v1/sessions/${first.session_id}`);
    expect(session.metadata).toMatchObject({ acp: { session_info_update: { title: 'A late title' } } });
  });

  it('[ACP-USER-07] noise on standard output and escape sequences before a message harm nobody', async () => {
    await open(['--noise']);
    await done('hello');
  });

  it('files of the gateway are not for agents', async () => {
    await open();
    const task = await done('files');
    expect(await said(task.session_id)).toEqual(['code -32601']);
    expect((await events(task)).map(({ payload }) => payload['note'])).toContain('request_refused');
  });

  it('what an agent asks for counts as what it sends: there is a limit to it in one turn', async () => {
    await open([], { limits: { max_turn_bytes: 100_000 } });
    await done('beg 5');
    const task = await done('beg 20', undefined, 'FAILED');
    expect(task.failure).toMatchObject({ code: 'payload_too_large', details: { max_bytes: 100_000 } });
  });

  it('an agent that wants a login is no failure', async () => {
    await open(['--locked']);
    const task = await done('hello', undefined, 'AUTH_REQUIRED');
    expect(task.metadata).toMatchObject({ acp: { auth_methods: ['Browser login'] } });
  });

  it('an agent gets the few variables every program needs and what its row says', async () => {
    process.env['HARN_TEST_CANARY'] = 'not for agents';
    await open([], { env: { GREETING: 'hello', TOKEN: { env: 'AGENT_TOKEN' } } });
    const first = await done('env HARN_TEST_CANARY');
    await done('env GREETING', first.session_id);
    await done('env TOKEN', first.session_id);
    delete process.env['HARN_TEST_CANARY'];
    expect(await said(first.session_id)).toEqual(['undefined', 'hello', 'secret-of-AGENT_TOKEN']);
  });

  it('[ACP-USER-15] an agent that ignores SIGTERM and the end of its input does not outlive the gateway', async () => {
    await open(['--deaf']);
    const pid = await processOf(await done('hello'));
    expect(isAlive(pid)).toBe(true);
    await gateway.close();
    expect(isAlive(pid)).toBe(false);
    await open();
  });

  it('hundreds of sessions are one process', async () => {
    await open();
    const tasks = await Promise.all(Array.from({ length: 100 }, () => done('hello')));
    const pids = await Promise.all(tasks.map(processOf));
    expect(new Set(pids).size).toBe(1);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
