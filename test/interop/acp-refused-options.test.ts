import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const MODES = ['ask', 'code', 'plan'].map((id) => ({ id, name: id }));
const EFFORT = {
  type: 'select',
  id: 'effort',
  name: 'Effort',
  currentValue: 'low',
  options: ['low', 'high'].map((value) => ({ value, name: value })),
};

describe('what a client chose and the agent refuses', () => {
  let agent: ScriptedAcpAgent;
  let gateway: TestGateway;
  let client: AcpClient;
  let sessionId: string;

  beforeEach(async () => {
    agent = await ScriptedAcpAgent.start(
      {},
      {
        'session/new': () => ({
          sessionId: 's-1',
          modes: { currentModeId: 'ask', availableModes: MODES },
          configOptions: [EFFORT],
        }),
        'session/prompt': () => ({ stopReason: 'end_turn' }),
      },
    );
    gateway = await startTestGateway({
      extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
    });
    client = await editor();
    sessionId = (await client.session({ route: 'acp:peer' })).sessionId;
    await client.prompt(sessionId, 'hello');
  });
  afterEach(async () => {
    client.close();
    await gateway.close();
    await agent.close();
  });

  const editor = () => AcpClient.overSocket(gateway.url, gateway.client.key);
  const setMode = (modeId: string) => client.agent.request('session/set_mode', { sessionId, modeId });
  const shown = (kind: string) =>
    client.updates.map(({ update }) => update).filter(({ sessionUpdate }) => sessionUpdate === kind);

  async function refuse(method: string, words: string): Promise<void> {
    const prompted = client.prompt(sessionId, 'go on');
    agent.refuse(await agent.next(method), { code: -32602, message: words });
    await prompted;
  }

  it('[ACP-USER-24] falls back to what the agent has, with its reason, and the log says so', async () => {
    await setMode('code');
    await refuse('session/set_mode', 'code wants a login');
    expect(shown('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'ask' });
    expect(client.text('agent_thought_chunk')).toContain('mode');
    expect(client.text('agent_thought_chunk')).toContain('code wants a login');
    const notes = (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(
      ({ payload }) => payload['note'] === 'option_refused',
    );
    expect(notes.map(({ payload }) => payload['details'])).toEqual([
      { option: 'mode', value: 'code', code: -32602, message: 'code wants a login' },
    ]);
    const later = await editor();
    const loaded = await later.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe('ask');
    later.close();
  });

  it('an option, too; it is asked for once, and what follows is told to the agent', async () => {
    const params = { sessionId, configId: 'effort', value: 'high' };
    await client.agent.request('session/set_config_option', params);
    await refuse('session/set_config_option', 'not for this model');
    const effort = () => {
      const { configOptions } = shown('config_option_update').at(-1) as { configOptions: JsonObject[] };
      return configOptions.find(({ id }) => id === 'effort')?.['currentValue'];
    };
    expect(effort()).toBe('low');
    await client.prompt(sessionId, 'once more');
    const asked = () => agent.methods().filter((method) => method === 'session/set_config_option');
    expect(asked()).toHaveLength(1);
    await expect(client.agent.request('session/set_config_option', params)).rejects.toMatchObject({
      message: expect.stringContaining('not for this model'),
    });
    agent.answers['session/set_config_option'] = () => ({ configOptions: [EFFORT] });
    await client.agent.request('session/set_config_option', { ...params, value: 'low' });
    await client.prompt(sessionId, 'as you like');
    await client.agent.request('session/set_config_option', params);
    await client.prompt(sessionId, 'and now?');
    expect(asked()).toHaveLength(3);
    expect(effort()).toBe('high');
  });

  it('is asked for again by an agent that was started again, and holds when it takes it then', async () => {
    await setMode('code');
    await refuse('session/set_mode', 'code wants a login');
    agent.answers['session/set_mode'] = () => ({});
    agent.answers['session/new'] = () => ({
      sessionId: 's-2',
      modes: { currentModeId: 'ask', availableModes: MODES },
    });
    agent.die();
    await client.prompt(sessionId, 'again');
    expect(shown('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'code' });
  });
});
