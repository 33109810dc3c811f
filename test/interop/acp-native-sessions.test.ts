import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcpClient, type AcpClientOptions, WITH_MACHINE } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const FILES = new Map([['/work/in.txt', 'hello']]);
const EDITOR: AcpClientOptions = { capabilities: WITH_MACHINE, files: FILES };

describe("an agent's own session that goes on with another client", () => {
  let gateway: TestGateway;
  let dir: string;
  const open: AcpClient[] = [];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-acp-'));
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** An agent that keeps each session for one process at a time. */
  async function start(...flags: string[]) {
    const sessions = ['--sessions', join(dir, 'sessions'), '--exclusive'];
    gateway = await startTestGateway({ extraClients: [acpUpstream([...sessions, ...flags])] });
  }
  async function connect(options: AcpClientOptions = {}) {
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key, options);
    open.push(client);
    return client;
  }
  async function prompted(text: string, sessionId: string) {
    const { id } = await gateway.client.submit(text, sessionId, { route: 'acp:peer' });
    return gateway.client.until(id, 'COMPLETED', 'FAILED');
  }
  /** Until the gateway has seen that it left, the editor's machine is still there. */
  async function left(editor: AcpClient) {
    editor.close();
    await expect.poll(() => gateway.logText()).toContain('socket closed');
  }
  const notesOf = async (sessionId: string, note: string) =>
    (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(
      ({ payload }) => payload['note'] === note,
    );
  async function said(sessionId: string): Promise<string> {
    const { data } = await gateway.client.get<{ data: { role: string; parts: { text?: string }[] }[] }>(
      `/v1/sessions/${sessionId}/messages`,
    );
    return data.filter(({ role }) => role === 'agent').at(-1)?.parts[0]?.text ?? '';
  }

  it.each([
    ['closed first where the agent offers that', ['--closes']],
    ['taken up by a new process when the one before is gone', []],
  ])('[ACP-USER-27] from an editor with a machine to none, and back: %s', async (_how, flags) => {
    await start(...flags);
    const editor = await connect(EDITOR);
    const { sessionId } = await editor.session({ route: 'acp:peer' });
    await editor.prompt(sessionId, 'read /work/in.txt');
    expect(editor.text()).toBe('hello');
    await left(editor);
    expect((await prompted('history', sessionId)).status).toBe('COMPLETED');
    expect(await said(sessionId)).toBe('I know 1 turns');
    const again = await connect(EDITOR);
    await again.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await again.prompt(sessionId, 'read /work/in.txt');
    expect(await said(sessionId)).toBe('hello');
    const opened = await notesOf(sessionId, 'agent_session');
    expect(opened.map(({ payload }) => (payload['details'] as { how: string }).how)).toEqual([
      'new',
      'loaded',
      'loaded',
    ]);
    expect(JSON.stringify(opened)).not.toContain('own_session_lost');
  });

  it('goes on where it is while its process works for others', async () => {
    await start();
    const [editor, busy] = [await connect(EDITOR), await connect(EDITOR)];
    const { sessionId } = await editor.session({ route: 'acp:peer' });
    await editor.prompt(sessionId, 'hello');
    const other = await busy.session({ route: 'acp:peer' });
    const hanging = busy.prompt(other.sessionId, 'hang');
    await expect
      .poll(
        async () => (await gateway.client.get<{ state: string }>(`/v1/sessions/${other.sessionId}`)).state,
      )
      .toBe('ACTIVE');
    editor.close();
    await prompted('history', sessionId);
    expect(await said(sessionId)).toBe('I know 1 turns');
    await busy.cancel(other.sessionId);
    expect(await hanging).toMatchObject({ stopReason: 'cancelled' });
  });

  it.each([
    ['is closed and loaded again for MCP servers that come later', ['--closes'], ['new', 'loaded'], []],
    ['stays open where the agent does not close it, and that is told', [], ['new'], [['tools']]],
  ])('%s', async (_what, flags, ways, late) => {
    await start('--http', ...flags);
    const client = await connect();
    const { sessionId } = await client.session({ route: 'acp:peer' });
    await client.prompt(sessionId, 'hello');
    const _meta = { harn: { mcpServers: [{ id: 'server-1', name: 'tools' }] } };
    const place = { sessionId, cwd: '/work', mcpServers: [] };
    await client.agent.request('session/load', { ...place, _meta });
    for (const _time of [1, 2]) await client.prompt(sessionId, 'history');
    expect(await said(sessionId)).toBe('I know 2 turns');
    const opened = await notesOf(sessionId, 'agent_session');
    expect(opened.map(({ payload }) => (payload['details'] as { how: string }).how)).toEqual(ways);
    const untold = await notesOf(sessionId, 'mcp_servers_late');
    expect(untold.map(({ payload }) => (payload['details'] as { names: string[] }).names)).toEqual(late);
  });

  it('[ACP-USER-26] is loaded where the agent advertises a resume that it does not serve, which is asked once', async () => {
    await start('--resumes');
    const editor = await connect(EDITOR);
    const { sessionId } = await editor.session({ route: 'acp:peer' });
    await editor.prompt(sessionId, 'hello');
    await left(editor);
    await prompted('history', sessionId);
    expect(await said(sessionId)).toBe('I know 1 turns');
    const [, loaded] = await notesOf(sessionId, 'agent_session');
    expect(loaded?.payload['details']).toMatchObject({
      how: 'loaded',
      refused_ways: [{ method: 'session/resume', error: { code: -32601 } }],
    });
  });
});

describe('a resume that an agent advertises and does not serve', () => {
  let agent: ScriptedAcpAgent;
  let gateway: TestGateway;
  beforeEach(async () => {
    const answers = { 'session/new': () => ({ sessionId: 's-1' }), 'session/load': () => ({}) };
    const capabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
    agent = await ScriptedAcpAgent.start(capabilities, {
      ...answers,
      'session/prompt': () => ({ stopReason: 'end_turn' }),
    });
    gateway = await startTestGateway({
      extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
    });
  });
  afterEach(async () => {
    await gateway.close();
    await agent.close();
  });

  it('is asked again by a new connection only', async () => {
    const done = async (text: string, sessionId?: string) => {
      const task = await gateway.client.submit(text, sessionId, { route: 'acp:peer' });
      return { task, ended: gateway.client.until(task.id, 'COMPLETED') };
    };
    const first = await done('first');
    const { session_id: sessionId } = await first.ended;
    agent.die();
    const second = await done('second', sessionId);
    agent.refuse(await agent.next('session/resume'), { code: -32601, message: 'Method not found' });
    await second.ended;
    await (await done('third', sessionId)).ended;
    expect(agent.methods()).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'initialize',
      'session/resume',
      'session/load',
      'session/prompt',
      'session/prompt',
    ]);
  });
});
