import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { Session } from '#resources/session/schema.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const select = (id: string, category: string, values: string[]) => ({
  type: 'select',
  id,
  category,
  name: id,
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const MODELS = select('llm', 'model', ['small', 'anthropic:claude-x', 'openai/gpt-x']);
const EFFORT = select('thinking', 'thought_level', ['low', 'high']);

describe('the model that a session wishes for', () => {
  let agent: ScriptedAcpAgent;
  let gateway: TestGateway;

  const start = async (offers: JsonObject, answers: Record<string, () => JsonObject> = {}) => {
    agent = await ScriptedAcpAgent.start(
      {},
      {
        'session/new': () => ({ sessionId: 's-1', ...offers }),
        'session/set_config_option': () => ({ configOptions: [] }),
        'session/set_model': () => ({}),
        'session/prompt': () => ({ stopReason: 'end_turn' }),
        ...answers,
      },
    );
    gateway = await startTestGateway({
      extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
    });
  };
  beforeEach(() => start({ configOptions: [MODELS, EFFORT] as unknown as JsonObject[] }));
  afterEach(async () => {
    await gateway.close();
    await agent.close();
  });

  const sessionWith = (model_policy: object | null) =>
    gateway.client.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      metadata: { route: 'acp:peer' },
      model_policy,
    });
  const run = async (sessionId: string) => {
    const task = await gateway.client.submit('go', sessionId);
    const { receipt_id } = await gateway.client.until(task.id, 'COMPLETED');
    const notes = (await gateway.client.events(`/v1/tasks/${task.id}/events`))
      .filter(({ payload }) => payload['note'] === 'model_policy')
      .map(({ payload }) => payload['details']);
    const { wire } = await gateway.client.get<{
      wire: { payload: { model_route: { chosen_model: object; route_policy_reason: string } } };
    }>(`/v1/receipts/${receipt_id}`);
    return { task, notes, route: wire.payload.model_route };
  };
  const set = () =>
    agent.heard
      .filter(({ method }) => method === 'session/set_config_option' || method === 'session/set_model')
      .map(({ params }) => params);

  it.each([
    [{ provider: 'any', model: 'small' }, 'small'],
    [{ provider: 'anthropic', model: 'claude-x' }, 'anthropic:claude-x'],
    [{ provider: 'openai', model: 'gpt-x' }, 'openai/gpt-x'],
  ])('[VER-MODEL-02] %j is told in the words of the agent, once', async (policy, value) => {
    const { id } = await sessionWith({ ...policy, reasoning_effort: 'high' });
    const { notes, route } = await run(id);
    await run(id);
    expect(set()).toEqual([
      { sessionId: 's-1', configId: 'llm', value },
      { sessionId: 's-1', configId: 'thinking', value: 'high' },
    ]);
    expect(notes).toEqual([{ ...policy, told: { llm: value, thinking: 'high' }, unmet: [] }]);
    expect(route.chosen_model).toEqual(policy);
    expect(route.route_policy_reason).toMatch(/^session_policy: /);
  });

  it('[VER-MODEL-02] what is not offered is not asked for, and recorded', async () => {
    const { id } = await sessionWith({ provider: 'p', model: 'unheard', reasoning_effort: 'max' });
    const { notes, route } = await run(id);
    expect(set()).toEqual([]);
    expect(notes).toEqual([
      { provider: 'p', model: 'unheard', told: {}, unmet: ['model', 'reasoning_effort'] },
    ]);
    expect(route.chosen_model).toEqual({ provider: 'none', model: 'none' });
  });

  it('[VER-MODEL-02] what the agent refuses is recorded, and counts as not taken', async () => {
    const { id } = await sessionWith({ provider: 'anthropic', model: 'claude-x' });
    delete agent.answers['session/set_config_option'];
    const running = run(id);
    agent.refuse(await agent.next('session/set_config_option'), { code: -32602, message: 'no licence' });
    const { notes, route } = await running;
    expect(notes).toEqual([{ provider: 'anthropic', model: 'claude-x', told: {}, unmet: ['model'] }]);
    expect(route.chosen_model).toEqual({ provider: 'none', model: 'none' });
  });

  it('[VER-MODEL-02] what a client of ACP chose for itself comes first', async () => {
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    const { sessionId } = await client.session({ route: 'acp:peer' });
    await client.prompt(sessionId, 'hello');
    await client.agent.request('session/set_config_option', { sessionId, configId: 'llm', value: 'small' });
    await gateway.client.call('PATCH', `/v1/sessions/${sessionId}`, {
      body: { model_policy: { provider: 'openai', model: 'gpt-x' } },
    });
    await client.prompt(sessionId, 'again');
    expect(set()).toEqual([{ sessionId: 's-1', configId: 'llm', value: 'small' }]);
    client.close();
  });

  it('[VER-MODEL-02] agents from before config options are told by session/set_model', async () => {
    await gateway.close();
    await agent.close();
    const availableModels = [{ modelId: 'claude-x', name: 'Claude' }];
    await start({ models: { currentModelId: 'other', availableModels } });
    const { id } = await sessionWith({ provider: 'anthropic', model: 'claude-x' });
    await run(id);
    expect(set()).toEqual([{ sessionId: 's-1', modelId: 'claude-x' }]);
  });

  it('replays byte_equal, whatever the session wishes for by then', async () => {
    const { id } = await sessionWith({ provider: 'anthropic', model: 'claude-x' });
    const { task } = await run(id);
    await gateway.client.call('PATCH', `/v1/sessions/${id}`, { body: { model_policy: null } });
    const replay = await gateway.client.post<{ id: string }>(`/v1/tasks/${task.id}/replay`, {
      mode: 'exact',
    });
    await gateway.client.until(replay.id, 'COMPLETED');
    const completed = (await gateway.client.events(`/v1/tasks/${replay.id}/events`)).find(
      ({ event }) => event === 'replay.completed',
    );
    expect(JSON.stringify(completed?.payload)).toContain('byte_equal');
  });

  it('without a wish nothing is told or recorded', async () => {
    const { id } = await sessionWith(null);
    const task = await gateway.client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, {
      input: userText('go'),
    });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(set()).toEqual([]);
  });
});
