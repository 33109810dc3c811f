import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpUpstream } from '../harness/acp-stage.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const EMPTY = {
  schema_version: 6,
  schema: 'https://harnlang.com/schemas/provider-catalog.v6.json',
  generated_by: 'harn-gateway',
  providers: [],
  models: [],
  aliases: [],
  variants: [],
  families: [],
  qc_defaults: {},
};
const OPENAI = { id: 'openai', display_name: 'OpenAI', auth: { style: 'bearer', env: ['OPENAI_API_KEY'] } };
const GPT = { id: 'gpt-x', name: 'GPT X', provider: 'openai', pricing: { input: 0.15 } };

describe('the provider catalog', () => {
  let dir: string;
  let agent: ScriptedAcpAgent;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'harn-catalog-'));
    const option = {
      type: 'select',
      id: 'llm',
      category: 'model',
      name: 'Model',
      currentValue: 'small',
      options: [
        { value: 'small', name: 'Small', description: 'Quick.' },
        { name: 'Others', options: [{ value: 'large', name: 'Large' }] },
      ],
    };
    agent = await ScriptedAcpAgent.start(
      {},
      {
        initialize: () => ({
          protocolVersion: 1,
          agentCapabilities: {},
          agentInfo: { name: 'Coder', version: '1' },
        }),
        'session/new': () => ({ sessionId: 's-1', configOptions: [option] }),
        'session/prompt': () => ({ stopReason: 'end_turn' }),
      },
    );
  });
  afterAll(async () => {
    await agent.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const written = (content: unknown): string => {
    const file = join(dir, `catalog-${Math.random()}.json`);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const gatewayWith = (file?: string) =>
    startTestGateway({
      extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
      ...(file === undefined ? {} : { config: { catalog: { file } } }),
    });
  const closing = async (gateway: TestGateway, test: () => Promise<void>) => {
    try {
      await test();
    } finally {
      await gateway.close();
    }
  };
  const policy = (provider: string) => ({
    workspace_id: 'workspace_default',
    model_policy: { provider, model: 'm' },
  });

  it('[VER-CAT-01] is empty at first, and lists what an agent offers once it has run, in both versions', async () => {
    const gateway = await gatewayWith();
    await closing(gateway, async () => {
      expect(await gateway.client.get('/v1/provider-catalog')).toEqual(EMPTY);
      // Without a configured catalog every provider may be wished for.
      await gateway.client.post('/v1/sessions', policy('any'));
      const { id } = await gateway.client.session({ route: 'acp:peer' });
      const task = await gateway.client.submit('go', id);
      await gateway.client.until(task.id, 'COMPLETED');
      const newer = new TestClient(gateway.url, gateway.client.key, 'agents-protocol-2026-10-11');
      for (const client of [gateway.client, newer])
        expect(await client.get('/v1/provider-catalog')).toEqual({
          ...EMPTY,
          providers: [{ id: 'acp:peer', display_name: 'Coder', protocols: ['acp'] }],
          models: [
            { id: 'small', name: 'Small', provider: 'acp:peer', description: 'Quick.' },
            { id: 'large', name: 'Large', provider: 'acp:peer' },
          ],
        });
    });
  });

  it('[VER-CAT-01] has the rows of the configured file, whose providers are the only ones to wish for', async () => {
    const file = {
      ...EMPTY,
      generated_by: 'somebody',
      providers: [OPENAI],
      models: [GPT],
      routing_routes: [],
    };
    const gateway = await gatewayWith(written(file));
    await closing(gateway, async () => {
      expect(await gateway.client.get('/v1/provider-catalog')).toEqual({
        ...file,
        generated_by: 'harn-gateway',
      });
      for (const provider of ['openai', ' OpenAI', 'mock'])
        expect((await gateway.client.call('POST', '/v1/sessions', { body: policy(provider) })).status).toBe(
          201,
        );
      const { id } = await gateway.client.session();
      for (const [method, path] of [
        ['POST', '/v1/sessions'],
        ['PATCH', `/v1/sessions/${id}`],
      ] as const) {
        const refused = await gateway.client.call(method, path, { body: policy('nobody') });
        expect([refused.status, refused.body]).toMatchObject([
          400,
          { error: { param: 'model_policy.provider' } },
        ]);
      }
      expect(await gateway.client.get(`/v1/sessions/${id}`)).not.toHaveProperty('model_policy');
    });
  });

  it('[VER-CAT-01] has one row for what is configured and offered, the configured one', async () => {
    const provider = { id: 'ACP:peer', display_name: 'Ours' };
    const small = { id: 'small', name: 'Ours', provider: 'acp:peer' };
    const gateway = await gatewayWith(written({ ...EMPTY, providers: [provider], models: [small] }));
    await closing(gateway, async () => {
      const { id } = await gateway.client.session({ route: 'acp:peer' });
      const task = await gateway.client.submit('go', id);
      await gateway.client.until(task.id, 'COMPLETED');
      expect(await gateway.client.get('/v1/provider-catalog')).toMatchObject({
        providers: [provider],
        models: [small, { id: 'large', name: 'Large', provider: 'acp:peer' }],
      });
    });
  });

  it.each([
    ['no JSON', '{', /is no JSON/],
    ['an unknown member', { ...EMPTY, portal_defaults: {} }, /portal_defaults: unknown option/],
    ['another version', { ...EMPTY, schema_version: 7 }, /schema_version/],
    ['a row that is no object', { ...EMPTY, models: [1] }, /models\[0\]/],
    ['a missing member', { ...EMPTY, qc_defaults: undefined }, /qc_defaults: is required/],
  ])('refuses a file with %s before the start, and names it', async (_, content, words) => {
    const file = written(content);
    const thrown = await gatewayWith(file).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(thrown)).toMatch(words);
    expect(String(thrown)).toContain(file);
  });

  it('refuses a file that is not there', async () => {
    await expect(gatewayWith(join(dir, 'absent.json'))).rejects.toThrow(
      /catalog\.file: the file .* does not exist/,
    );
  });
});
