import { describe, expect, it } from 'vitest';
import type { Persona } from '#resources/persona/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';

const METHOD_NOT_FOUND = -32601;

describe('what a client of the ACP face sets up', () => {
  const stage = acpServerStage();

  it('[ACP-USER-17] whatever is advertised is served', async () => {
    const { agent, initialized } = await stage.connect();
    const { loadSession, sessionCapabilities } = initialized.agentCapabilities ?? {};
    const methods = [
      ...(loadSession ? ['session/load'] : []),
      ...['list', 'resume', 'close', 'delete'].flatMap((name) =>
        name in (sessionCapabilities ?? {}) ? [`session/${name}`] : [],
      ),
      ...(initialized.authMethods?.length ? ['authenticate'] : []),
      'session/set_mode',
      'session/set_config_option',
    ];
    expect(methods).toHaveLength(8);
    for (const method of methods) {
      const params = { sessionId: 'session_none', cwd: '/', mcpServers: [], methodId: 'harn-key' };
      const code = await agent.request(method, params as never).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
      expect([method, code]).not.toEqual([method, METHOD_NOT_FOUND]);
    }
  });

  it('the key came with the connection: authenticate has nothing to do, by whatever method an editor knows', async () => {
    const client = await stage.connect();
    for (const methodId of [client.initialized.authMethods?.[0]?.id ?? '', 'oauth-personal'])
      expect(await client.agent.request('authenticate', { methodId })).toEqual({});
    expect((await client.session()).sessionId).toMatch(/^session_/);
  });

  it('a list of sessions goes on over its pages, newest first, each session once', async () => {
    const client = await stage.connect();
    const made: string[] = [];
    for (let n = 0; n < 60; n += 1) made.push((await client.session()).sessionId);
    const told: string[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined = undefined; cursor !== null; pages += 1) {
      const page: { sessions: { sessionId: string }[]; nextCursor?: string | null } =
        await client.agent.request('session/list', cursor === undefined ? {} : { cursor });
      told.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor ?? null;
    }
    expect(pages).toBeGreaterThan(1);
    expect(told.slice(0, made.length)).toEqual(made.toReversed());
    expect(new Set(told).size).toBe(told.length);
    await expect(client.agent.request('session/list', { cursor: 'no cursor' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it.each([
    ['in the future', '00000000009999999999', -32002, 'cursor_expired'],
    ['that is none', 'yesterday', -32602, 'invalid_request'],
  ])(
    'a resume from a cursor %s is refused, and the session can be loaded',
    async (_which, after, code, word) => {
      const client = await stage.connect();
      const { sessionId } = await client.session();
      await client.prompt(sessionId, 'hello');
      const again = await stage.connect();
      const place = { sessionId, cwd: '/work', mcpServers: [] };
      const _meta = { harn: { afterEventId: after } };
      await expect(again.agent.request('session/resume', { ...place, _meta })).rejects.toMatchObject({
        code,
        data: { harn: { code: word, param: '_meta.harn.afterEventId' } },
      });
      await again.agent.request('session/load', place);
      expect(again.text('user_message_chunk')).toBe('hello');
    },
  );

  it('the persona of the next prompt is an option, which names those of the tenant', async () => {
    const persona = await stage.gateway.client.post<Persona>('/v1/personas', {
      name: 'Clerk',
      version: '1',
      description: 'Files things.',
      entry_workflow: 'acp:coder',
      autonomy_tier: 'act_auto',
      receipt_policy: 'required',
    });
    const client = await stage.connect();
    const { sessionId, configOptions } = await client.session();
    const option = (options: typeof configOptions) => options?.find(({ id }) => id === 'persona');
    expect(option(configOptions)).toMatchObject({
      currentValue: 'none',
      options: expect.arrayContaining([{ value: persona.id, name: 'Clerk' }]),
    });
    const set = (value: string) =>
      client.agent.request('session/set_config_option', { sessionId, configId: 'persona', value });
    expect(option((await set(persona.id)).configOptions)).toMatchObject({ currentValue: persona.id });
    await client.prompt(sessionId, 'stream 1');
    // The persona brings its agent.
    expect(client.text()).toBe('piece 1 ');
    await expect(set('nobody')).rejects.toMatchObject({ code: -32602, data: { param: 'value' } });
    await set('none');
    await client.prompt(sessionId, 'hello');
    const { data } = await stage.gateway.client.get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`);
    expect(data.map(({ persona_id }) => persona_id)).toEqual([null, persona.id]);
  });

  it('a session that was opened with a persona shows it, and no prompt can leave it for none', async () => {
    const definition = {
      version: '1',
      description: 'Keeps the books.',
      autonomy_tier: 'act_auto',
      receipt_policy: 'required',
    };
    const made = (name: string) =>
      stage.gateway.client.post<Persona>('/v1/personas', {
        ...definition,
        name,
        entry_workflow: 'acp:coder',
      });
    const [keeper, deputy] = [await made('Bookkeeper'), await made('Deputy')];
    const client = await stage.connect();
    const { sessionId, configOptions } = await client.session({ personaId: keeper.id });
    const option = (options: typeof configOptions) => options?.find(({ id }) => id === 'persona');
    expect(option(configOptions)).toMatchObject({ currentValue: keeper.id });
    expect(JSON.stringify(option(configOptions))).not.toContain('"none"');
    const set = (value: string) =>
      client.agent.request('session/set_config_option', { sessionId, configId: 'persona', value });
    await expect(set('none')).rejects.toMatchObject({ code: -32602, data: { param: 'value' } });
    expect(option((await set(deputy.id)).configOptions)).toMatchObject({ currentValue: deputy.id });
    await client.prompt(sessionId, 'stream 1');
    const again = await stage.connect();
    const loaded = await again.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    expect(option(loaded.configOptions)).toMatchObject({ currentValue: deputy.id });
    const { data } = await stage.gateway.client.get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`);
    expect(data.map(({ persona_id }) => persona_id)).toEqual([deputy.id]);
  });

  it('[ACP-USER-18] a tool that was rejected is no refusal of the prompt', async () => {
    const permission = async () => ({ outcome: { outcome: 'selected' as const, optionId: 'no' } });
    const client = await stage.connect({ permission });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, 'edit')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toBe('option no');
  });
});
