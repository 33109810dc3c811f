import { describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import { NEVER, WITH_MACHINE } from '../harness/acp-client.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';
import type { TestEvent } from '../harness/client.ts';

describe('the machine of an editor', () => {
  const stage = acpServerStage();

  async function editor(files: Record<string, string> = {}, key?: string) {
    const held = new Map(Object.entries(files));
    const client = await stage.connect({ capabilities: WITH_MACHINE, files: held }, key);
    return { client, files: held };
  }
  const eventsOf = (sessionId: string): Promise<TestEvent[]> =>
    stage.gateway.client.events(`/v1/sessions/${sessionId}/events`);

  it('[ACP-HOST-01] is used by the agent behind the gateway, and every use is in the log before it is made', async () => {
    const { client, files } = await editor({ '/work/in.txt': 'hello' });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, 'machine')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toBe('read hello, exit 0, output of terminal-3');
    expect(files.get('/work/out.txt')).toBe('HELLO');
    expect(client.hosted).toEqual(['/work/in.txt', '/work/out.txt', 'make', 'released terminal-3']);
    const tools = (await eventsOf(sessionId)).filter(({ event }) => /^tool\./.test(event));
    expect(tools.map(({ event, payload }) => [event, payload['name'], payload['side_effect']])).toEqual([
      ['tool.requested', 'fs/read_text_file', 'read'],
      ['tool.completed', 'fs/read_text_file', undefined],
      ['tool.requested', 'fs/write_text_file', 'write'],
      ['tool.completed', 'fs/write_text_file', undefined],
      ['tool.requested', 'terminal/create', 'destructive'],
      ['tool.requested', 'make', undefined],
      ['tool.completed', 'terminal/create', undefined],
    ]);
  });

  it('is told by the receipt: what was written there, by path and hash', async () => {
    const { client } = await editor({ '/work/in.txt': 'hello' });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'machine');
    const issued = (await eventsOf(sessionId)).findLast(({ event }) => event === 'receipt.issued');
    const receipt = await stage.gateway.client.get<Receipt>(`/v1/receipts/${issued?.payload['receipt_id']}`);
    expect(receipt.wire.payload.side_effects.fs_writes).toEqual([
      {
        path: '/work/out.txt',
        operation: 'modify',
        // SHA-256 of HELLO.
        after_sha256: 'sha256:3733cd977ff8eb18b987357e22ced99f46097f31ecb239e878ae63760e83e4d5',
      },
    ]);
  });

  it('[ACP-USER-22] shows a terminal to the editor that runs it, and its name to nobody else', async () => {
    const { client } = await editor({ '/work/in.txt': 'hello' });
    const other = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'machine');
    await other.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    const shown = (seen: typeof client) =>
      seen.updates.find(({ update }) => 'toolCallId' in update && update.toolCallId === 'run-1')?.update;
    expect(shown(client)).toMatchObject({ content: [{ type: 'terminal', terminalId: 'terminal-3' }] });
    expect(shown(other)).toMatchObject({ content: [{ type: 'content', content: { type: 'text' } }] });
  });

  it('says no in its own words, and the agent goes on', async () => {
    const { client } = await editor();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'read /work/absent.txt');
    expect(client.text()).toMatch(/^-32002: /);
    const events = await eventsOf(sessionId);
    expect(events.map(({ event }) => event)).toContain('tool.failed');
  });

  it('[ACP-HOST-02] is nobody else’s: a task of another actor in the same session does not reach it', async () => {
    const { client } = await editor({ '/work/in.txt': 'mine' });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'read /work/in.txt');
    expect(client.text()).toBe('mine');
    const stranger = stage.gateway.clients['friend'];
    const task = await stranger?.submit('read /work/in.txt', sessionId, { route: 'acp:coder' });
    await stranger?.until(task?.id ?? '', 'COMPLETED');
    expect(client.text()).not.toContain('minemine');
    expect(client.hosted).toEqual(['/work/in.txt']);
    expect(client.text()).toContain('-32601');
  });

  it('is gone with its editor: the agent is told, and the session goes on without it', async () => {
    const { client } = await editor({ '/work/in.txt': 'mine' });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'hello');
    client.close();
    const later = await stage.connect();
    await later.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await later.prompt(sessionId, 'read /work/in.txt');
    expect(later.text()).toContain('-32601');
  });

  it('[ACP-TURN-03] that does not answer is waited for no more when the turn is cancelled', async () => {
    const { client } = await editor();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, `read ${NEVER}`);
    await client.until(() => client.hosted.includes(NEVER));
    await client.cancel(sessionId);
    expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
    expect(await client.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  });

  it.each([
    ['approve', 'HELLO', ['tool.approved', 'tool.approved']],
    ['deny', undefined, ['tool.denied']],
  ])(
    '[ACP-HOST-03] is not written to before somebody allows it, where the tier asks for that: %s',
    async (optionId, written, ends) => {
      const files = new Map([['/work/in.txt', 'hello']]);
      const client = await stage.connect({
        capabilities: WITH_MACHINE,
        files,
        permission: async () => ({ outcome: { outcome: 'selected', optionId } }),
      });
      const { sessionId } = await client.session({ route: 'acp:coder' });
      const option = { sessionId, configId: 'autonomy', value: 'act_with_approval' };
      await client.agent.request('session/set_config_option', option);
      await client.prompt(sessionId, 'machine').catch(() => undefined);
      expect(files.get('/work/out.txt')).toBe(written);
      expect(client.permissions[0]?.toolCall).toMatchObject({
        rawInput: { path: '/work/out.txt', content: 'HELLO' },
      });
      const events = await eventsOf(sessionId);
      expect(events.flatMap(({ event }) => (/^tool\.(approved|denied)$/.test(event) ? [event] : []))).toEqual(
        ends,
      );
      const decided = events.filter(({ event }) => event === 'vendor.harn_gateway.policy_decided');
      expect(decided[0]?.payload).toMatchObject({
        effect: 'ask',
        rule: 'tier.act_with_approval.write',
        skill_id: 'fs/write_text_file',
        tool_call_id: events.find(({ payload }) => payload['name'] === 'fs/write_text_file')?.payload[
          'tool_call_id'
        ],
      });
      const [task] = (
        await stage.gateway.client.get<{ data: { id: string }[] }>(`/v1/sessions/${sessionId}/tasks`)
      ).data;
      const replay = await stage.gateway.client.post<{ id: string }>(`/v1/tasks/${task?.id}/replay`, {
        mode: 'exact',
      });
      await stage.gateway.client.until(replay.id, 'COMPLETED', 'FAILED');
      const told = await stage.gateway.client.events(`/v1/tasks/${replay.id}/events`);
      expect(
        told.find(({ event }) => /^replay\.(completed|failed)$/.test(event))?.payload['verdict'],
      ).toMatchObject({
        status: 'byte_equal',
      });
    },
  );

  it('is not read where a persona lists its tools and this is none of them', async () => {
    const { client } = await editor({ '/work/in.txt': 'mine' });
    const persona = await stage.gateway.client.post<{ id: string }>('/v1/personas', {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'acp:coder',
      description: '',
      autonomy_tier: 'act_auto',
      receipt_policy: 'required',
      tools: ['fs/write_text_file'],
    });
    const { sessionId } = await client.session({ route: 'acp:coder', personaId: persona.id });
    await client.prompt(sessionId, 'read /work/in.txt');
    expect(client.text()).toContain('The policy kept this back.');
    expect(client.hosted).toEqual([]);
  });

  it('is left no command of an agent that died', async () => {
    const { client } = await editor();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await expect(client.prompt(sessionId, 'desert')).rejects.toMatchObject({ code: -32603 });
    await client.until(() => client.hosted.length === 2);
    expect(client.hosted).toEqual(['sleep', 'released terminal-1']);
  });

  it('an editor that offers nothing is asked for nothing', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'files');
    expect(client.text()).toBe('code -32601');
    expect(client.hosted).toEqual([]);
  });
});
