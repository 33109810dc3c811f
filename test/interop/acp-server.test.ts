import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';

const ALLOW = { outcome: { outcome: 'selected' as const, optionId: 'yes' } };
const FORMS = { elicitation: { form: {}, url: {} } };

describe('the ACP face', () => {
  const stage = acpServerStage();

  it('[ACP-INIT-01] initialize says what is served, and only that', async () => {
    const { initialized } = await stage.connect();
    expect(initialized.protocolVersion).toBe(1);
    expect(initialized.agentCapabilities).toMatchObject({
      loadSession: true,
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      mcpCapabilities: { http: false, sse: false },
    });
    expect(initialized.authMethods).not.toHaveLength(0);
  });

  it('[ACP-TURN-01] a prompt runs on the A2A agent, and its updates come before the answer', async () => {
    const client = await stage.connect();
    const { sessionId, configOptions } = await client.session();
    const answer = await client.prompt(sessionId, 'stream 3');
    expect(answer).toMatchObject({ stopReason: 'end_turn', _meta: { harn: { status: 'COMPLETED' } } });
    expect(client.text()).toContain('3');
    const agent = configOptions?.find(({ id }) => id === 'agent');
    expect(agent).toMatchObject({ type: 'select', currentValue: 'a2a:sample' });
    expect(client.kinds()).not.toContain('user_message_chunk');
  });

  it('a prompt runs on the ACP agent that the client chose, and its pieces arrive as they are', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session();
    await client.agent.request('session/set_config_option', {
      sessionId,
      configId: 'agent',
      value: 'acp:coder',
    });
    await client.prompt(sessionId, 'stream 3');
    const pieces = client.updates.filter(({ update }) => update.sessionUpdate === 'agent_message_chunk');
    expect(pieces).toHaveLength(3);
    expect(client.text()).toBe('piece 1 piece 2 piece 3 ');
  });

  it('a number that cannot be kept is refused by its request, and not left unanswered', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = [{ type: 'text' as const, text: 'hello', _meta: { n: 12345678901234567000 } }];
    await expect(client.agent.request('session/prompt', { sessionId, prompt })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('number'),
    });
    await client.prompt(sessionId, 'inexact');
    expect(client.text()).toBe('code -32602');
  });

  it('half a character, of an editor or of its agent, costs that half and nothing else', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, 'smile \ud83d')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toBe('You said: smile \ufffd');
    await client.prompt(sessionId, 'halves');
    expect(client.text()).toBe('You said: smile \ufffdsmile \ufffd\ufffd');
  });

  it('[ACP-SESS-06] the autonomy tier is an option of the session, and holds for its next prompt', async () => {
    const client = await stage.connect();
    const { sessionId, configOptions } = await client.session({ route: 'acp:coder' });
    const tierOf = (options: typeof configOptions) =>
      options?.find(({ id }) => id === 'autonomy') as { currentValue: string; options: { value: string }[] };
    expect(tierOf(configOptions).currentValue).toBe('unlimited');
    expect(tierOf(configOptions).options.map(({ value }) => value)).toEqual([
      'unlimited',
      'act_with_approval',
      'suggest',
      'shadow',
    ]);
    const set = (value: string) =>
      client.agent.request('session/set_config_option', { sessionId, configId: 'autonomy', value });
    expect(tierOf((await set('shadow')).configOptions).currentValue).toBe('shadow');
    await client.prompt(sessionId, 'stream 1');
    expect(client.text()).not.toContain('piece');
    await expect(set('act_freely')).rejects.toMatchObject({ code: -32602, data: { param: 'value' } });
    expect(tierOf((await set('unlimited')).configOptions).currentValue).toBe('unlimited');
    await client.prompt(sessionId, 'stream 1');
    expect(client.text()).toContain('piece 1');
    const { metadata } = await stage.gateway.client.get<Session>(`/v1/sessions/${sessionId}`);
    expect(metadata['autonomy_tier']).toBeNull();
  });

  it('plans, thoughts and tools of the agent reach the client', async () => {
    const client = await stage.connect({ permission: async () => ALLOW });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    for (const text of ['plan', 'think', 'edit']) await client.prompt(sessionId, text);
    expect(client.kinds()).toEqual(
      expect.arrayContaining([
        'plan',
        'usage_update',
        'available_commands_update',
        'agent_thought_chunk',
        'tool_call',
        'tool_call_update',
      ]),
    );
    expect(client.kinds()).not.toContain('from_the_future');
    expect(client.text()).toContain('option yes');
  });

  it.each([
    ['yes', 'option yes'],
    ['no', 'option no'],
  ])('a permission is answered by its option: %s', async (optionId, said) => {
    const client = await stage.connect({
      permission: async () => ({ outcome: { outcome: 'selected', optionId } }),
    });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'edit');
    expect(client.text()).toBe(said);
    expect(client.permissions[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
  });

  it('an option that was not offered allows nothing, and the right answer still counts', async () => {
    const client = await stage.connect({
      permission: async () => ({ outcome: { outcome: 'selected', optionId: 'anything' } }),
    });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, 'edit');
    await client.until(() => client.permissions.length > 0);
    await respond(await pending(sessionId), { approved: false });
    await prompt;
    expect(client.text()).toBe('option no');
  });

  async function pending(sessionId: string): Promise<PermissionRequest> {
    const path = `/v1/permission-requests?session_id=${sessionId}`;
    const { data } = await stage.gateway.client.get<{ data: PermissionRequest[] }>(path);
    return data[0] as PermissionRequest;
  }
  const respond = ({ id }: PermissionRequest, body: object) =>
    stage.gateway.client.post(`/v1/permission-requests/${id}/respond`, body);

  it('[ACP-PERM-02] a permission may be answered elsewhere: the prompt goes on', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, 'edit');
    await client.until(() => client.permissions.length > 0);
    await respond(await pending(sessionId), { approved: true });
    expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
  });

  it('[ACP-ELIC-01] a form of the agent is a form of the client', async () => {
    const client = await stage.connect({
      capabilities: FORMS,
      elicit: async () => ({ action: 'accept', content: { colour: 'blue' } }),
    });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'ask');
    expect(client.text()).toBe('accept {"colour":"blue"}');
  });

  it('[ACP-INIT-03] a client without forms is asked in words, and its next prompt is the answer', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session();
    const first = await client.prompt(sessionId, 'ask');
    expect(first).toMatchObject({ stopReason: 'end_turn', _meta: { harn: { status: 'INPUT_REQUIRED' } } });
    expect(client.text()).toContain('colour');
    const second = await client.prompt(sessionId, 'green');
    expect(second._meta).toMatchObject({ harn: { status: 'COMPLETED', taskId: taskOf(first).taskId } });
  });

  const taskOf = ({ _meta }: { _meta?: Record<string, unknown> | null }) =>
    _meta?.['harn'] as { taskId: string };

  it('[ACP-TURN-02] [ACP-USER-03] a cancel ends the turn as cancelled, also while a permission is pending, and not the next one', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    for (const text of ['slow 100', 'edit']) {
      const prompt = client.prompt(sessionId, text);
      await client.until(() =>
        text === 'edit' ? client.permissions.length > 0 : client.text().includes('step 1'),
      );
      await client.cancel(sessionId);
      expect(await prompt).toMatchObject({
        stopReason: 'cancelled',
        _meta: { harn: { status: 'CANCELED' } },
      });
    }
    await client.cancel(sessionId);
    expect(await client.prompt(sessionId, 'stream 1')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('[ACP-USER-04] a second prompt waits for the first one', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const both = await Promise.all([
      client.prompt(sessionId, 'slow 2'),
      client.prompt(sessionId, 'stream 1'),
    ]);
    expect(both.map(({ stopReason }) => stopReason)).toEqual(['end_turn', 'end_turn']);
    expect(client.text()).toBe('step 1 step 2 piece 1 ');
  });

  it.each([
    ['max', 'max_tokens'],
    ['refuse', 'refusal'],
  ])('%s is told as %s', async (word, stopReason) => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, word)).toMatchObject({ stopReason });
  });

  it('[ACP-USER-10] a failure is an error of its own code, and no login screen', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await expect(client.prompt(sessionId, 'fail')).rejects.toMatchObject({
      code: -32603,
      message: 'the model is not there',
      data: { harn: { code: 'agent_error', status: 'FAILED' } },
    });
  });

  it('[ACP-SESS-01] load tells the whole history in order before it answers, also to another client', async () => {
    const first = await stage.connect();
    const { sessionId } = await first.session({ route: 'acp:coder' });
    await first.prompt(sessionId, 'hello');
    await first.prompt(sessionId, 'stream 200');
    const second = await stage.connect();
    await second.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    expect(second.text('user_message_chunk')).toBe('hellostream 200');
    expect(second.text()).toBe(first.text());
  });

  it('two clients of a session see the same turn', async () => {
    const first = await stage.connect();
    const { sessionId } = await first.session({ route: 'acp:coder' });
    const second = await stage.connect();
    await second.agent.request('session/resume', { sessionId, cwd: '/work' });
    await first.prompt(sessionId, 'stream 2');
    await second.until(() => second.text().includes('piece 2'));
    expect(second.text('user_message_chunk')).toBe('stream 2');
    expect(second.text()).toBe(first.text());
  });

  it('[ACP-SESS-02] losing the connection is no cancel; a cursor resumes without gap or double', async () => {
    const first = await stage.connect();
    const { sessionId } = await first.session({ route: 'acp:coder' });
    first.prompt(sessionId, 'slow 8').catch(() => undefined);
    await first.until(() => first.text().includes('step 2'));
    first.close();
    const seen = first.updates.at(-1)?.update._meta as { harn: { eventId: string; taskId: string } };
    const second = await stage.connect();
    const _meta = { harn: { afterEventId: seen.harn.eventId } };
    await second.agent.request('session/resume', { sessionId, cwd: '/work', _meta });
    await stage.gateway.client.until(seen.harn.taskId, 'COMPLETED');
    await second.until(() => second.text().includes('step 8'));
    const all = Array.from({ length: 8 }, (_, n) => `step ${n + 1} `).join('');
    expect(first.text() + second.text()).toBe(all);
  });

  it('a prompt for a known session needs no load', async () => {
    const session = await stage.gateway.client.session();
    const client = await stage.connect();
    expect(await client.prompt(session.id, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('[ACP-SESS-03] [ACP-SESS-04] close ends the work and leaves the session IDLE; delete closes it, and unknown ones are gone already', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, 'hang');
    prompt.catch(() => undefined);
    await client.until(() => client.updates.length > 0);
    await client.agent.request('session/close', { sessionId });
    const closed = await stage.gateway.client.get<Session>(`/v1/sessions/${sessionId}`);
    expect(closed.state).toBe('IDLE');
    await client.agent.request('session/delete', { sessionId });
    const deleted = await stage.gateway.client.get<Session>(`/v1/sessions/${sessionId}`);
    expect(deleted.state).toBe('CLOSED');
    await client.agent.request('session/delete', { sessionId: 'session_unknown' });
  });

  it('list finds sessions by the directory of their client, and tells its other directories', async () => {
    const client = await stage.connect();
    const place = { cwd: '/only/here', additionalDirectories: ['/and/there'] };
    const { sessionId } = await client.agent.request('session/new', { ...place, mcpServers: [] });
    const { sessions } = await client.agent.request('session/list', { cwd: '/only/here' });
    expect(sessions).toMatchObject([{ sessionId, ...place }]);
  });
});
