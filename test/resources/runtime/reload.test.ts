import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import { systemRandom } from '#compose/compose.ts';
import { TAKES_EFFECT } from '#config/reloading.ts';
import { SECTION_NAMES } from '#config/schema.ts';
import { VERSION_HEADER } from '#protocol/versions.ts';
import { fingerprint, selfSigned } from '../../harness/certificates.ts';
import { TestClient } from '../../harness/client.ts';
import { CONFIG_FILE, startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { signingPair, signToken, TokenIssuerPeer } from '../../harness/peers/token-issuer.ts';
import { CERT, KEY } from '../../unit/surfaces/tls-fixture.ts';

interface Report {
  applied: string[];
  needs_restart: string[];
  routes: { added: string[]; replaced: string[]; removed: string[] };
}

type Sections = Record<string, Record<string, unknown>> & { auth: { api_keys: { id: string }[] } };

let gateway: TestGateway;
let [first, second]: [Peer, Peer] = [] as never;
beforeEach(async () => {
  [first, second] = await Promise.all([startSampleAgent(), startSampleAgent()]);
  gateway = await startTestGateway({
    config: { upstreams: { a2a: [{ id: 'shop', card: first.cardUrl }] } },
    keys: [{ actor: 'reader', scopes: ['tasks:read', 'sessions:read', 'events:read'] }],
  });
});
afterEach(async () => {
  await gateway.close();
  await Promise.all([first.close(), second.close()]);
});

/** Writes the file anew and reloads. */
async function reload(change: (sections: Sections) => void, by = gateway.client) {
  const file = join(gateway.data, CONFIG_FILE);
  const sections = parse(readFileSync(file, 'utf8')) as Sections;
  change(sections);
  writeFileSync(file, stringify(sections));
  return by.call<Report & { error: { message: string; details: { faults: { path: string }[] } } }>(
    'POST',
    '/v1/admin/reload',
  );
}

const sends = ({ requests }: Peer) => requests.filter(({ method }) => method === 'POST').length;
/** All that a stream says until its end. */
async function followed({ url, key, version }: TestClient, taskId: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, [VERSION_HEADER]: version };
  return (await fetch(`${url}/v1/tasks/${taskId}/stream`, { headers })).text();
}

const toSecond = (sections: Sections) => {
  sections['upstreams'] = { a2a: [{ id: 'shop', card: second.cardUrl }] };
};

describe('a reload', () => {
  it('sends new tasks to the changed row, and a task that began before ends on the row it began with', async () => {
    const { client } = gateway;
    const asking = await client.submit('ask');
    await client.until(asking.id, 'INPUT_REQUIRED');
    const working = await client.submit('slow 20');
    await client.until(working.id, 'WORKING');
    const { status, body } = await reload(toSecond);
    expect([status, body]).toMatchObject([
      200,
      {
        applied: ['upstreams.a2a'],
        needs_restart: [],
        routes: { added: [], replaced: ['a2a:shop'], removed: [] },
      },
    ]);
    const before = sends(first);
    const fresh = await client.submit('hello');
    await client.until(fresh.id, 'COMPLETED');
    expect([sends(first), sends(second)]).toEqual([before, 1]);
    await client.answer(asking.id, 'blue');
    await client.until(asking.id, 'COMPLETED');
    expect(sends(first)).toBeGreaterThan(before);
    expect(sends(second)).toBe(1);
    await client.post(`/v1/tasks/${working.id}/cancel`);
    expect((await client.until(working.id, 'CANCELED')).status).toBe('CANCELED');
    expect(sends(second)).toBe(1);
  });

  it('drops no stream: one that was open goes on to the end of its task', async () => {
    const { client } = gateway;
    const task = await client.submit('slow 3');
    const stream = followed(client, task.id);
    expect((await reload(toSecond)).status).toBe(200);
    expect(await stream).toContain('task.completed');
  });

  it('adds and removes agents while it runs', async () => {
    const { client } = gateway;
    const added = await reload((sections) => {
      sections['upstreams'] = { a2a: [{ id: 'other', card: second.cardUrl }] };
    });
    expect(added.body.routes).toEqual({ added: ['a2a:other'], replaced: [], removed: ['a2a:shop'] });
    const { data } = await client.get<{ data: { route: string }[] }>('/v1/agents');
    expect(data.map(({ route }) => route)).toEqual(['a2a:other']);
    await client.until((await client.submit('hello')).id, 'COMPLETED');
    expect(sends(second)).toBe(1);
    const measured = async () => (await client.call('GET', '/metrics')).text;
    await expect.poll(measured).toContain('harn_task_duration_seconds_count{agent="a2a:other"');
  });

  it('changes nothing for a faulty file, and says all its faults', async () => {
    const refused = await reload((sections) => {
      toSecond(sections);
      sections['limits'] = { max_running_tasks: 0 };
      sections['retention'] = { nonsense: 1 };
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.faults.map(({ path }) => path)).toEqual([
      'retention.nonsense',
      'limits.max_running_tasks',
    ]);
    expect(refused.body.error.message).toContain('Nothing was changed.');
    await gateway.client.until((await gateway.client.submit('hello')).id, 'COMPLETED');
    expect([sends(first), sends(second)]).toEqual([1, 0]);
  });

  it('takes a key away at once, with the stream that it has open, and gives another one', async () => {
    const { client, clients } = gateway;
    const reader = clients['reader'] as TestClient;
    const task = await client.submit('slow 20');
    await client.until(task.id, 'WORKING');
    const following = followed(reader, task.id);
    const key = newApiKey('test', 'fresh', systemRandom);
    expect((await new TestClient(gateway.url, key).call('GET', '/v1/tasks/x')).status).toBe(401);
    const { body } = await reload(({ auth }) => {
      const kept = auth.api_keys.filter(({ id }) => id !== 'k1');
      auth.api_keys = [...kept, { id: 'fresh', hash: apiKeyHash(key), actor: 'fresh' } as { id: string }];
    });
    expect(body.applied).toEqual(['auth.api_keys']);
    expect((await new TestClient(gateway.url, key).call('GET', `/v1/tasks/${task.id}`)).status).toBe(200);
    expect((await reader.call('GET', `/v1/tasks/${task.id}`)).status).toBe(401);
    expect(await following).toContain('unauthenticated');
    await client.post(`/v1/tasks/${task.id}/cancel`);
  });

  it('lets policy, quotas, personas and workspaces take effect', async () => {
    const { client, data } = gateway;
    mkdirSync(join(data, 'personas'));
    writeFileSync(
      join(data, 'personas', 'clerk.yaml'),
      'id: clerk\nname: Clerk\nversion: "1"\nentry_workflow: a2a:shop\nautonomy_tier: suggest\ndescription: Writes.\nreceipt_policy: optional\n',
    );
    const { body } = await reload((sections) => {
      sections['workspaces'] = [{ id: 'workspace_new' }] as never;
      sections['quotas'] = [{ id: 'day', scope: 'organization', limits: { queued_tasks: 9 } }] as never;
      sections['policy'] = { default_tier: 'shadow' };
      Object.assign(sections.auth.api_keys[0] ?? {}, { workspaces: ['workspace_default', 'workspace_new'] });
    });
    expect(body.applied).toEqual([
      'auth.api_keys',
      'workspaces',
      'personas',
      'policy.default_tier',
      'quotas',
    ]);
    expect((await client.call('GET', '/v1/workspaces/workspace_new')).status).toBe(200);
    const ids = async (path: string) =>
      (await client.get<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);
    expect([await ids('/v1/quotas'), await ids('/v1/personas')]).toEqual([['day'], ['clerk']]);
    await client.until((await client.submit('hello')).id, 'COMPLETED');
    expect(sends(first)).toBe(0);
  });

  it('names what needs a restart, and applies the rest', async () => {
    const { body } = await reload((sections) => {
      toSecond(sections);
      sections['limits'] = { max_running_tasks: 7 };
      sections['telemetry'] = { metrics: false, otlp: { endpoint: 'http://127.0.0.1:1' } };
    });
    expect([body.applied, body.needs_restart]).toEqual([
      ['upstreams.a2a'],
      ['limits.max_running_tasks', 'telemetry.metrics', 'telemetry.otlp.endpoint'],
    ]);
    expect((await gateway.client.call('GET', '/metrics')).status).toBe(200);
  });

  it('applies nothing of a file that changes where the gateway listens: the rest was judged for that place', async () => {
    const { body } = await reload((sections) => {
      toSecond(sections);
      sections['server'] = { port: 0, host: '::1' };
    });
    expect([body.applied, body.needs_restart]).toEqual([[], ['server.host', 'upstreams.a2a']]);
  });

  it('trusts an issuer from then on, and another one no more', async () => {
    const issuer = await new TokenIssuerPeer().start();
    try {
      const pair = await signingPair('key-1');
      issuer.publish(pair);
      const audience = 'https://gateway.test';
      const now = Math.floor(Date.now() / 1_000);
      const times = { iat: now, exp: now + 600, jti: 'token-1' };
      const who = { iss: issuer.url, aud: audience, sub: 'somebody', client_id: 'app' };
      const token = await signToken(pair, { ...who, ...times, scope: 'runtime:read' });
      const status = async () => (await new TestClient(gateway.url, token).call('GET', '/v1/runtime')).status;
      expect(await status()).toBe(401);
      await reload(({ auth }) => Object.assign(auth, { oauth: [{ issuer: issuer.url, audience }] }));
      expect(await status()).toBe(200);
      const { body } = await reload(({ auth }) => Object.assign(auth, { oauth: [] }));
      expect([body.applied, await status()]).toEqual([['auth.oauth'], 401]);
    } finally {
      await issuer.close();
    }
  });

  it('gives new connections the certificate that lies in its file now', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-reload-'));
    const [cert, key] = [join(data, 'cert.pem'), join(data, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY);
    const tls = await startTestGateway({ data, config: { server: { tls: { cert, key } } } });
    try {
      const before = await fingerprint(tls.url);
      selfSigned(cert, key);
      await tls.reload();
      const after = await fingerprint(tls.url);
      expect(after).not.toBe(before);
      writeFileSync(key, KEY);
      await expect(tls.reload()).rejects.toThrow('server.tls');
      expect(await fingerprint(tls.url)).toBe(after);
    } finally {
      await tls.close();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('is on record, with the options and keys that changed and by whom, and without a value', async () => {
    const { client } = gateway;
    const hashOfFresh = apiKeyHash(newApiKey('test', 'fresh', systemRandom));
    await reload((sections) => {
      toSecond(sections);
      sections.auth.api_keys = [
        ...sections.auth.api_keys.filter(({ id }) => id !== 'k1'),
        { ...sections.auth.api_keys[0], id: 'fresh', actor: 'fresh-actor', hash: hashOfFresh },
      ] as never;
    });
    // Nothing changes, so nothing is recorded.
    await reload(() => undefined);
    const { data } = await client.get<{ data: { kind: string }[] }>('/v1/audit');
    const lines = data.filter(({ kind }) => kind === 'vendor.harn_gateway.configuration_reloaded');
    expect(lines).toMatchObject([
      {
        who: 'actor_test',
        what: 'the configuration: auth.api_keys, upstreams.a2a, key fresh added, key k1 removed',
        result: 'reloaded',
        target: { object: 'log' },
      },
    ]);
    const events = await client.events('/v1/events');
    const recorded = events.filter(({ event }) => event === 'vendor.harn_gateway.configuration_reloaded');
    expect(recorded.map(({ payload }) => payload)).toEqual([
      {
        applied: ['auth.api_keys', 'upstreams.a2a'],
        routes: { added: [], replaced: ['a2a:shop'], removed: [] },
        api_keys: { added: ['fresh'], replaced: [], removed: ['k1'] },
      },
    ]);
    expect(JSON.stringify(recorded)).not.toContain(hashOfFresh);
  });

  it('takes no body, which would promise what it does not do', async () => {
    const asked = (body: object) =>
      gateway.client.call<{ error: { param: string } }>('POST', '/v1/admin/reload', { body });
    const { status, body } = await asked({ dry_run: true });
    expect([status, body.error.param]).toEqual([400, 'dry_run']);
    expect((await asked({})).status).toBe(200);
  });

  it('is for operators alone', async () => {
    const { status, body } = await reload(toSecond, gateway.clients['reader']);
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('operator')]);
  });

  it('says of every section of the configuration how it takes effect', () => {
    expect(Object.keys(TAKES_EFFECT).sort()).toEqual([...SECTION_NAMES].sort());
  });
});
