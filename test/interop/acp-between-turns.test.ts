import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';

const TITLE = { sessionUpdate: 'session_info_update', title: 'A late title' };

describe('what an ACP agent says between two prompts', () => {
  let agent: ScriptedAcpAgent;
  let gateway: TestGateway;
  let data: string;
  const open: AcpClient[] = [];

  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'harn-between-'));
    const done = () => ({ stopReason: 'end_turn' });
    agent = await ScriptedAcpAgent.start(
      {},
      { 'session/new': () => ({ sessionId: 's-1' }), 'session/prompt': done },
    );
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await agent.close();
    rmSync(data, { recursive: true });
  });

  async function start(limits = {}) {
    const upstream = acpUpstream([], { command: undefined, url: agent.url, limits });
    gateway = await startTestGateway({ data, extraClients: [upstream] });
  }
  async function editor(): Promise<AcpClient> {
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    open.push(client);
    return client;
  }
  /** An editor whose first prompt is answered, and the task that it was. */
  async function prompted() {
    const client = await editor();
    const { sessionId } = await client.session({ route: 'acp:peer' });
    const { _meta } = await client.prompt(sessionId, 'hello');
    return { client, sessionId, taskId: ((_meta as JsonObject)['harn'] as { taskId: string }).taskId };
  }
  const load = (client: AcpClient, sessionId: string) =>
    client.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
  async function verdictOf(taskId: string) {
    const replay = await replayOf(gateway.client, taskId);
    const events = await eventsOf(gateway.client, replay.id);
    return events.find(({ event }) => event === 'replay.completed')?.payload['verdict'] ?? events;
  }

  it('[ACP-USER-06] is shown at once, and is there when the agent and the gateway are gone', async () => {
    await start();
    const { client, sessionId, taskId } = await prompted();
    agent.say('s-1', 'I go on. ');
    agent.tell('s-1', TITLE);
    await client.until(() => client.kinds().includes('session_info_update'));
    expect(client.text()).toBe('I go on. ');
    agent.die();
    await gateway.close();
    await start();
    const later = await editor();
    await load(later, sessionId);
    expect(later.kinds()).toEqual(['user_message_chunk', 'agent_message_chunk', 'session_info_update']);
    expect((await gateway.client.get<JsonObject>(`/v1/tasks/${taskId}`))['status']).toBe('COMPLETED');
    expect(await verdictOf(taskId)).toMatchObject({ status: 'byte_equal' });
  });

  it('comes before the next prompt in the log, and is told once', async () => {
    await start();
    const { client, sessionId, taskId } = await prompted();
    agent.say('s-1', 'between ');
    await client.until(() => client.text() !== '');
    agent.answers['session/prompt'] = () => {
      agent.say('s-1', 'within');
      return { stopReason: 'end_turn' };
    };
    await client.prompt(sessionId, 'more');
    expect(client.text()).toBe('between within');
    const said = (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(
      ({ payload }) => payload['kind'] === 'agent_message_chunk',
    );
    expect(said.map(({ task_id, payload }) => [task_id === taskId, payload['between_turns']])).toEqual([
      [true, true],
      [false, undefined],
    ]);
  });

  it('is kept when it is large, and the receipt and the replay of the ended task are what they were', async () => {
    await start();
    const { client, sessionId, taskId } = await prompted();
    const text = 'x'.repeat(200_000);
    agent.say('s-1', text);
    await client.until(() => client.text() !== '');
    const later = await editor();
    await load(later, sessionId);
    for (const seen of [client, later]) expect(seen.text().endsWith(text)).toBe(true);
    expect(await verdictOf(taskId)).toMatchObject({ status: 'byte_equal' });
  });

  it('has a limit, and the editor is told that it is reached', async () => {
    await start({ max_turn_bytes: 2_000 });
    const { client, sessionId } = await prompted();
    for (let n = 0; n < 20; n += 1) agent.say('s-1', 'x'.repeat(1_000));
    await client.until(() => client.text('agent_thought_chunk').includes('too much'));
    expect(client.text()).toBe('x'.repeat(1_000));
    await client.prompt(sessionId, 'again');
    agent.say('s-1', 'heard');
    await client.until(() => client.text().endsWith('heard'));
  });

  it('is not kept in a session that is closed', async () => {
    await start();
    const { client, sessionId } = await prompted();
    await gateway.client.post(`/v1/sessions/${sessionId}/close`);
    const before = (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).length;
    agent.say('s-1', 'is anybody there?');
    // Another session of the same agent comes behind it.
    agent.answers['session/new'] = () => ({ sessionId: 's-2' });
    const { sessionId: other } = await client.session({ route: 'acp:peer' });
    await client.prompt(other, 'hello');
    expect(await gateway.client.events(`/v1/sessions/${sessionId}/events`)).toHaveLength(before);
  });
});
