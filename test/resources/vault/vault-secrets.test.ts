import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import type { Vault } from '#resources/vault/schema.ts';
import { sealVault } from '#resources/vault/secrets/encrypted-vault.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { stream } from '../../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const SECRETS = {
  agent: 'agent-credential-51c7',
  hook: 'hook-credential-9f2c',
  login: 'login-credential-77aa',
};
const KEY = randomBytes(32).toString('base64');

describe('secrets of configured vaults', () => {
  let data: string;
  let agent: ScriptedPeer;
  let gateway: TestGateway | undefined;
  const answers: string[] = [];

  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'harn-vaults-'));
    mkdirSync(join(data, 'secrets'));
    writeFileSync(join(data, 'secrets', 'token'), SECRETS.agent);
    const random = { bytes: (size: number) => randomBytes(size) };
    const sealed = sealVault(new Map([['login', SECRETS.login]]), Buffer.from(KEY, 'base64'), random);
    writeFileSync(join(data, 'shop.vault'), sealed);
    agent = await startScriptedAgent({
      SendStreamingMessage: ({ earlier }) =>
        // The agent gives away what it was called with, in words of its own.
        stream(
          taskFrame('WORKING', { metadata: { heard: `${SECRETS.agent} ${SECRETS.login} ${earlier}` } }),
          taskFrame('COMPLETED'),
        ),
    });
  });
  afterEach(async () => {
    await gateway?.close();
    await agent.close();
    rmSync(data, { recursive: true, force: true });
  });

  const rows = (more: object = {}) => [
    { id: 'files', provider: 'file', dir: join(data, 'secrets'), ...more },
    { id: 'env', provider: 'environment', prefix: 'HARN_TEST_' },
    {
      id: 'sealed',
      provider: 'encrypted_file',
      file: join(data, 'shop.vault'),
      key: { env: 'HARN_TEST_VAULT_KEY' },
    },
  ];

  async function start(vaults: object[] = rows()): Promise<TestGateway> {
    const bearer = (vault: string) => ({ type: 'bearer', value: { vault } });
    const isThere = vaults.length > 0;
    gateway = await startTestGateway({
      data,
      env: { HARN_TEST_HOOK_SECRET: SECRETS.hook, HARN_TEST_VAULT_KEY: KEY },
      config: {
        vaults,
        workspaces: [{ id: 'workspace_second' }],
        upstreams: {
          a2a: [
            { id: 'plain', card: agent.cardUrl },
            ...(isThere ? [{ id: 'shop', card: agent.cardUrl, auth: bearer('files/token') }] : []),
            ...(isThere ? [{ id: 'safe', card: agent.cardUrl, auth: bearer('vault:sealed/login') }] : []),
          ],
        },
        connectors: isThere
          ? [
              {
                id: 'hook',
                provider: 'shop',
                auth: { type: 'hmac-sha256', secret: { vault: 'env/hook-secret' } },
                route: 'a2a:plain',
              },
            ]
          : [],
      },
      keys: [{ actor: 'both', workspaces: ['workspace_default', 'workspace_second'] }],
    });
    for (const client of Object.values(gateway.clients))
      client.onAnswer = (_method, _path, { text }) => void answers.push(text);
    return gateway;
  }

  const heard = () => agent.requests.map(({ headers }) => headers['authorization']);
  const run = async (at: TestGateway, route: string): Promise<Task> => {
    const { id } = await at.client.submit('go', undefined, { route });
    return at.client.until(id, 'COMPLETED', 'FAILED');
  };

  it('[EXT-VLT-01] [EXT-VLT-02] [EXT-VLT-03] reach the calls of their agents, and no answer, event, receipt, log line or file', async () => {
    const at = await start();
    for (const route of ['a2a:shop', 'a2a:safe'])
      expect(await run(at, route)).toMatchObject({ status: 'COMPLETED' });
    expect(heard()).toEqual(expect.arrayContaining([`Bearer ${SECRETS.agent}`, `Bearer ${SECRETS.login}`]));
    const body = '{"order":1}';
    const time = Math.floor(Date.now() / 1000);
    const sign = createHmac('sha256', SECRETS.hook).update(`${time}.${body}`).digest('hex');
    const delivered = await at.client.call('POST', '/v1/connectors/hook/deliveries', {
      body,
      headers: {
        authorization: undefined,
        'content-type': 'application/json',
        'x-harn-signature': `t=${time},v1=${sign}`,
      },
    });
    expect(delivered.status).toBe(202);
    const echo = await at.client.submit(`my ${SECRETS.agent} and ${SECRETS.hook}`, undefined, {
      route: 'a2a:plain',
    });
    await at.client.until(echo.id, 'COMPLETED');
    await at.client.get('/v1/vaults');
    const tasks = await at.client.get<{ data: Task[] }>('/v1/tasks');
    for (const { id } of tasks.data) {
      await at.client.events(`/v1/tasks/${id}/events`);
      await at.client.get(`/v1/tasks/${id}/receipts`);
    }
    const log = at.logText();
    await at.close();
    gateway = undefined;
    const places = { answers: answers.join('\n'), log, files: contentOf(data) };
    for (const [place, text] of Object.entries(places))
      for (const secret of Object.values(SECRETS))
        for (const spelled of [
          secret,
          Buffer.from(secret).toString('base64'),
          Buffer.from(secret).toString('hex'),
        ])
          expect([place, secret, text.includes(spelled)]).toEqual([place, secret, false]);
  });

  it('a rotated secret takes effect with the next call', async () => {
    const at = await start();
    await run(at, 'a2a:shop');
    writeFileSync(join(data, 'secrets', 'token'), 'rotated-credential-02');
    await run(at, 'a2a:shop');
    expect(heard().at(-1)).toBe('Bearer rotated-credential-02');
    rmSync(join(data, 'secrets', 'token'));
    const failed = await run(at, 'a2a:shop');
    expect(failed).toMatchObject({
      status: 'FAILED',
      failure: { code: 'upstream_unavailable', details: { reason: 'credential' } },
    });
    expect(JSON.stringify(failed)).not.toContain(data);
  });

  it('[C26] are told as descriptors that say neither where they are nor what they hold, and follow the configuration', async () => {
    const at = await start();
    const { data: listed } = await at.client.get<{ data: Vault[] }>('/v1/vaults');
    const told = listed.map(({ id, provider, capabilities, workspace_id }) => [
      id,
      provider,
      capabilities,
      workspace_id,
    ]);
    expect(told).toEqual([
      ['sealed', 'encrypted_file', ['secret.resolve'], null],
      ['files', 'file', ['secret.resolve'], null],
      ['env', 'environment', ['secret.resolve'], null],
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/HARN_TEST|harn-vaults|token|login/);
    await at.client.post('/v1/sessions', { workspace_id: 'workspace_default', vault_ids: ['files'] });
    await at.close();
    const moved = await start(rows({ workspace: 'workspace_second' }));
    expect(await moved.clients['both']?.get('/v1/vaults/files')).toMatchObject({
      workspace_id: 'workspace_second',
    });
    expect((await moved.client.call('GET', '/v1/vaults/files')).status).toBe(404);
    await moved.close();
    const gone = await start([]);
    expect(await gone.client.get('/v1/vaults/env')).toMatchObject({ capabilities: [] });
  });

  it('[EXT-VLT-03] one of another workspace serves no task, whose refusal names neither', async () => {
    const at = await start(rows({ workspace: 'workspace_second' }));
    const metadata = { route: 'a2a:shop' };
    const submitIn = async (workspace_id: string) => {
      const { id } = (await at.clients['both']?.post<{ id: string }>('/v1/sessions', { workspace_id })) ?? {
        id: '',
      };
      return at.clients['both']?.call('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: userText('go'), metadata },
      });
    };
    const refused = await submitIn('workspace_default');
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'policy_violation', details: { rule: 'vault.workspace' } } },
    });
    expect(refused?.text).not.toMatch(/files|workspace_second/);
    expect(await submitIn('workspace_second')).toMatchObject({ status: 202 });
  });

  it('[EXT-VLT-05] a Session that lists its vaults has no agent called with a secret of another one', async () => {
    const at = await start();
    const body = { workspace_id: 'workspace_default', vault_ids: ['sealed'] };
    const session = await at.client.post<{ id: string }>('/v1/sessions', body);
    const run = async (route: string) => {
      const { id } = await at.client.submit('go', session.id, { route });
      return at.client.until(id, 'COMPLETED', 'FAILED');
    };
    expect((await run('a2a:safe')).status).toBe('COMPLETED');
    const called = agent.requests.length;
    const refused = await run('a2a:shop');
    expect(refused).toMatchObject({
      status: 'FAILED',
      failure: { code: 'policy_violation', details: { rule: 'vault.session' } },
    });
    const events = await at.client.events(`/v1/tasks/${refused.id}/events`);
    const decided = events.find(({ event }) => event === 'vendor.harn_gateway.policy_decided');
    expect(decided?.payload).toMatchObject({ effect: 'refuse', rule: 'vault.session' });
    const { data } = await at.client.get<{ data: { wire: { payload: { approvals?: object[] } } }[] }>(
      `/v1/tasks/${refused.id}/receipts`,
    );
    expect(data.flatMap(({ wire }) => wire.payload.approvals ?? [])).toMatchObject([
      { actor: 'policy:vault.session', decision: 'denied' },
    ]);
    expect(agent.requests).toHaveLength(called);
  });
});

/** Every byte under the store and beside it, but for what the operator put there. */
function contentOf(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('secrets') && name !== 'shop.vault')
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}
