import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import { systemRandom } from '#compose/compose.ts';
import { TAKES_EFFECT } from '#config/reloading.ts';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { fingerprint, selfSigned } from '../harness/certificates.ts';
import { TestClient, userText } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { keeper } from '../harness/keeper.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import { CERT, KEY as TLS_KEY } from '../unit/surfaces/tls-fixture.ts';
import { Child, killChildren, PROGRAM } from './child-processes.ts';
import { GatewayPlace, type GatewayProcess, KEY } from './gateway-process.ts';

/** Trusted by the commands of these tests: the certificate that a gateway with TLS has at its start. */
const TRUSTED = join(mkdtempSync(join(tmpdir(), 'harn-trusted-')), 'cert.pem');
writeFileSync(TRUSTED, CERT);
afterAll(() => rmSync(dirname(TRUSTED), { recursive: true, force: true }));

/** Asks over TLS whatever certificate is shown, on a connection of its own. */
function asked(url: string, body?: object): Promise<IncomingMessage> {
  const authorization = `Bearer ${KEY}`;
  const headers = { authorization, [VERSION_HEADER]: DEFAULT_VERSION, 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false as const, rejectUnauthorized: false };
    request(url, options, resolve)
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

async function statusOf(url: string, body?: object): Promise<number | undefined> {
  const answer = await asked(url, body);
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

/** A stream over TLS and what has come of it. */
async function openStream(url: string) {
  const answer = await asked(url);
  const stream = { text: '', close: () => answer.destroy() };
  answer.setEncoding('utf8').on('data', (piece: string) => {
    stream.text += piece;
  });
  return stream;
}

type Sections = Record<string, unknown>;
interface Outcome {
  msg: string;
  applied: string[];
  needs_restart: string[];
  routes: { added: string[]; replaced: string[]; removed: string[] };
  faults: { path: string }[];
  said: string;
}

/** The ways to ask a running gateway for a reload: flags that it is started with, and what is done when its file has changed. */
const WAYS = [
  {
    way: 'SIGHUP',
    flags: [],
    ask: async ({ child }: GatewayProcess) => void child.process.kill('SIGHUP'),
  },
  {
    way: 'harn-gateway reload',
    flags: [],
    ask: async ({ client }: GatewayProcess) => {
      const args = [PROGRAM, 'reload', '--json', '--url', client.url, '--key', KEY];
      // That of the gateway at its start: the one it still shows when it is asked.
      const { code, stdout, stderr } = await new Child(args, { NODE_EXTRA_CA_CERTS: TRUSTED }).ended;
      return { code, said: stdout + stderr };
    },
  },
  { way: 'serve --watch', flags: ['--watch'], ask: async () => undefined },
] as const;
type Way = (typeof WAYS)[number];

const RELOADED = 'the configuration was reloaded';
const REFUSED = 'the configuration has faults; nothing was changed';

/** Changes files, asks for a reload, and waits for the line of the log that says what came of it. */
async function reloaded({ ask }: Way, gateway: GatewayProcess, change: () => void): Promise<Outcome> {
  const before = gateway.child.stderr.length;
  change();
  const answer = await ask(gateway);
  const outcome = () =>
    gateway.child.stderr
      .slice(before)
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Omit<Outcome, 'said'>)
      .find(({ msg }) => msg === RELOADED || msg === REFUSED);
  await expect.poll(outcome).toBeDefined();
  const line = outcome();
  if (line === undefined) throw new Error('unreachable: it was there');
  if (answer !== undefined) expect(answer.code).toBe(line.msg === RELOADED ? 0 : 1);
  return { ...line, said: answer?.said ?? '' };
}

/** The same for sections of the configuration. */
function changed(
  way: Way,
  place: GatewayPlace,
  gateway: GatewayProcess,
  change: (sections: Sections) => Sections,
): Promise<Outcome> {
  return reloaded(way, gateway, () => {
    const sections = parse(readFileSync(place.config, 'utf8')) as Sections;
    writeFileSync(place.config, stringify({ ...sections, ...change(sections) }));
  });
}

/** A persona whose tasks run on the agent `shop`, without a question. */
const CLERK =
  'id: clerk\nname: Clerk\nversion: "1"\nentry_workflow: a2a:shop\nautonomy_tier: act_with_approval\ndescription: Writes.\nreceipt_policy: optional\n';
const CATALOG = {
  schema_version: 6,
  schema: 'https://harnlang.com/schemas/provider-catalog.v6.json',
  generated_by: 'test',
  providers: [{ id: 'maker', display_name: 'Maker', auth: { style: 'bearer', env: ['MAKER_KEY'] } }],
  models: [],
  aliases: [],
  variants: [],
  families: [],
  qc_defaults: {},
};
const TOKENS = { before: 'token-of-the-first-vault', after: 'token-of-the-second-vault' };
const HOOK = 'secret-of-the-connector-5d1c';

const sends = ({ requests }: Peer) => requests.filter(({ method }) => method === 'POST');
const idsOf = async (client: TestClient, path: string) =>
  (await client.get<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);

describe.each(WAYS)('a running process that is asked by $way', (way) => {
  const { kept, keptFolder } = keeper();
  const places: GatewayPlace[] = [];
  afterEach(() => {
    killChildren();
    for (const place of places.splice(0)) place.remove();
  });
  const started = async (sections: Record<string, object>) => {
    const place = new GatewayPlace(sections);
    places.push(place);
    const gateway = place.launch(...way.flags);
    await gateway.ready;
    return { place, gateway, client: gateway.client };
  };

  it('lets every section that is live take effect, and drops no stream, no socket and no task', async () => {
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(async () => kept(await startSampleAgent())),
    );
    if (first === undefined || second === undefined || third === undefined) throw new Error('three agents');
    const issuer = kept(await new TokenIssuerPeer().start());
    const pair = await signingPair('key-1');
    issuer.publish(pair);
    const folder = keptFolder();
    for (const [name, token] of Object.entries(TOKENS)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'token'), token);
    }
    writeFileSync(join(folder, 'hook'), HOOK);
    writeFileSync(join(folder, 'catalog.json'), JSON.stringify(CATALOG));
    const auth = { type: 'bearer', value: { vault: 'shop/token' } };
    const shop = (peer: Peer) => ({ id: 'shop', card: peer.cardUrl, auth });
    const vaultIn = (name: string) => [{ id: 'shop', provider: 'file', dir: join(folder, name) }];
    const { place, gateway, client } = await started({
      upstreams: { a2a: [shop(first)] },
      vaults: vaultIn('before'),
    });

    const { id: sessionId } = await client.session();
    const asking = await client.submit('ask');
    await client.until(asking.id, 'INPUT_REQUIRED');
    const working = await client.submit('slow 8', sessionId);
    const stream = await EventStreamClient.open(client, `/v1/tasks/${working.id}/stream`);
    const socket = await WsTestClient.open(client.url, '/v1/ws', { key: KEY });
    await socket.ask({ type: 'subscribe', id: 'sub', stream: 'session', session_id: sessionId });
    await stream.untilEvent('task.started');
    const heard = sends(first).length;
    expect(sends(first).map(({ headers }) => headers.authorization)).toContain(`Bearer ${TOKENS.before}`);

    const acmeKey = newApiKey('test', 'acme', systemRandom);
    const acme = { tenant: 'tenant_acme', workspaces: ['workspace_acme'] };
    mkdirSync(join(place.folder, 'personas'));
    writeFileSync(join(place.folder, 'personas', 'clerk.yaml'), CLERK);
    const outcome = await changed(way, place, gateway, (sections) => ({
      auth: {
        api_keys: [
          ...(sections['auth'] as { api_keys: object[] }).api_keys,
          { id: 'acme', hash: apiKeyHash(acmeKey), actor: 'acme', ...acme },
        ],
        oauth: [{ issuer: issuer.url, audience: 'https://gateway.test' }],
      },
      tenants: [{ id: 'tenant_acme' }],
      workspaces: [{ id: 'workspace_acme', tenant: 'tenant_acme' }],
      vaults: vaultIn('after'),
      upstreams: { a2a: [shop(second), { id: 'late', card: third.cardUrl }] },
      routing: { default: 'a2a:late' },
      catalog: { file: join(folder, 'catalog.json') },
      sessions: { live_client_ttl_ms: 60_000 },
      rate_limits: { caller_requests_per_second: 9_000 },
      resilience: [{ agent: 'a2a:shop', breaker: {} }],
      policy: { tiers: { act_auto: { delegate: 'ask' } } },
      quotas: [{ id: 'acme-tasks', scope: 'tenant', owner: 'tenant_acme', limits: { concurrent_tasks: 1 } }],
      connectors: [
        {
          id: 'orders',
          provider: 'shop',
          auth: { type: 'hmac-sha256', secret: { file: join(folder, 'hook') } },
        },
      ],
    }));
    expect(outcome.needs_restart).toEqual([]);
    expect(outcome.routes).toEqual({ added: ['a2a:late'], replaced: ['a2a:shop'], removed: [] });
    const sections = new Set(outcome.applied.map((option) => option.replace(/\..*$/, '')));
    const live = Object.entries(TAKES_EFFECT).flatMap(([name, effect]) => (effect === 'live' ? [name] : []));
    expect([...sections].sort()).toEqual(live.sort());

    const acmeClient = new TestClient(client.url, acmeKey);
    const submitTo = (by: TestClient, workspace: string) =>
      by.call('POST', '/v1/tasks', {
        body: { session: { workspace_id: workspace }, input: userText('slow 20') },
      });
    /** Waits until the task asks whether its agent may be called, and says yes. */
    const approved = async (taskId: string, before = () => {}) => {
      const path = `/v1/tasks/${taskId}/permission-requests`;
      const pending = async () => {
        const { data } = await client.get<{ data: { id: string; status: string; action: string }[] }>(path);
        return data.find(({ status, action }) => status === 'pending' && action.startsWith('a2a:'))?.id;
      };
      await expect.poll(pending).toBeDefined();
      before();
      await client.post(`/v1/permission-requests/${await pending()}/respond`, { approved: true });
    };
    /** What shows that a section is in effect. */
    const effects: Readonly<Record<string, () => Promise<void>>> = {
      auth: async () => {
        const now = Math.floor(Date.now() / 1_000);
        const who = { iss: issuer.url, aud: 'https://gateway.test', sub: 'somebody', client_id: 'app' };
        const times = { iat: now, exp: now + 600, jti: 'token-1' };
        const token = await signToken(pair, { ...who, ...times, scope: 'runtime:read' });
        const asTheirs = new TestClient(client.url, token);
        expect((await asTheirs.call('GET', '/v1/runtime')).status).toBe(200);
        expect((await acmeClient.call('GET', '/v1/runtime')).status).toBe(200);
      },
      tenants: async () => expect(await idsOf(acmeClient, '/v1/workspaces')).toEqual(['workspace_acme']),
      workspaces: async () =>
        expect((await acmeClient.call('GET', '/v1/workspaces/workspace_acme')).status).toBe(200),
      upstreams: async () => {
        const body = {
          session: { workspace_id: 'workspace_default' },
          persona_id: 'clerk',
          input: userText('hello'),
        };
        const task = await client.post<{ id: string }>('/v1/tasks', body);
        await client.until(task.id, 'COMPLETED');
        expect([sends(first).length, sends(second).length]).toEqual([heard, 1]);
      },
      vaults: async () => expect(sends(second)[0]?.headers.authorization).toBe(`Bearer ${TOKENS.after}`),
      personas: async () => expect(await idsOf(client, '/v1/personas')).toEqual(['clerk']),
      catalog: async () => {
        const { body } = await client.call<{ providers: { id: string }[] }>('GET', '/v1/provider-catalog');
        expect(body.providers.map(({ id }) => id)).toContain('maker');
      },
      policy: async () => {
        const task = await client.submit('hello');
        await approved(task.id, () => expect(sends(third)).toEqual([]));
        await client.until(task.id, 'COMPLETED');
      },
      routing: async () => expect(sends(third)).toHaveLength(1),
      rate_limits: async () =>
        expect((await client.call('GET', '/v1/runtime')).headers.get('ratelimit')).not.toBeNull(),
      resilience: async () => {
        const { data } = await client.get<{ data: { route: string; circuit: object | null }[] }>(
          '/v1/agents',
        );
        expect(data.find(({ route }) => route === 'a2a:shop')?.circuit).toMatchObject({ state: 'closed' });
      },
      // What it changes is seen when the house is kept next (test/resources/live-client).
      sessions: async () => expect(outcome.applied).toContain('sessions.live_client_ttl_ms'),
      quotas: async () => {
        expect((await submitTo(acmeClient, 'workspace_acme')).status).toBeLessThan(300);
        expect([422, 429]).toContain((await submitTo(acmeClient, 'workspace_acme')).status);
      },
      connectors: async () => {
        const body = 'an order';
        const seconds = Math.floor(Date.now() / 1_000);
        const signature = createHmac('sha256', HOOK).update(`${seconds}.${body}`).digest('hex');
        const answer = await client.call('POST', '/v1/connectors/orders/deliveries', {
          body,
          headers: {
            authorization: undefined,
            'content-type': 'text/plain',
            'x-harn-signature': `t=${seconds},v1=${signature}`,
          },
        });
        expect([answer.status, answer.text]).toEqual([202, expect.stringContaining('task')]);
      },
    };
    expect(Object.keys(effects).sort()).toEqual(live);
    for (const shown of Object.values(effects)) await shown();

    // What began with the old row ends on it, also where it is answered only now.
    await client.answer(asking.id, 'blue');
    // The policy is asked before each call, so that it holds for the turns of running tasks too.
    await approved(asking.id);
    await client.until(asking.id, 'COMPLETED');
    expect(sends(first).length).toBeGreaterThan(heard);
    await stream.untilEvent('task.completed');
    expect((await client.get<{ status: string }>(`/v1/tasks/${working.id}`)).status).toBe('COMPLETED');
    const followed = stream.events.map(({ id }) => id);
    const recorded = await client.events(`/v1/tasks/${working.id}/events`);
    expect(followed).toEqual(recorded.map(({ id }) => id));
    const ofSession = (await client.events(`/v1/sessions/${sessionId}/events`)).map(({ id }) => id);
    await socket.until(({ event }) => event?.id === ofSession.at(-1));
    const pushed = socket.events.map(({ event }) => event?.id);
    expect(ofSession.slice(-pushed.length)).toEqual(pushed);
    socket.socket.terminate();
    await socket.closed;
    expect((await gateway.stop()).code).toBe(0);
  }, 90_000);

  it('changes nothing for a faulty file and says all its faults, then takes the mended one', async () => {
    const [first, second] = await Promise.all([1, 2].map(async () => kept(await startSampleAgent())));
    if (first === undefined || second === undefined) throw new Error('two agents');
    const { place, gateway, client } = await started({
      upstreams: { a2a: [{ id: 'shop', card: first.cardUrl }] },
    });
    const working = await client.submit('slow 5');
    const stream = await EventStreamClient.open(client, `/v1/tasks/${working.id}/stream`);
    const upstreams = { a2a: [{ id: 'shop', card: second.cardUrl }] };
    const refused = await changed(way, place, gateway, () => ({
      upstreams,
      routing: { default: 'a2a:nobody' },
      quotas: [{ id: 'day', scope: 'workspace', owner: 'workspace_none', limits: { queued_tasks: 1 } }],
      vaults: [{ id: 'Shop', provider: 'file', dir: place.folder }],
      limits: { max_running_tasks: 0 },
      nonsense: {},
    }));
    // The rest is judged when what it stands on is right: rows of single options first.
    const faulty = refused.faults.map(({ path }) => path);
    expect(faulty).toEqual(expect.arrayContaining(['nonsense', 'vaults[0].id', 'limits.max_running_tasks']));
    if (way.way === 'harn-gateway reload') for (const path of faulty) expect(refused.said).toContain(path);
    // Once, and without a stack: nothing is wrong in the program.
    expect(gateway.child.stderr.match(/"faults":/g)).toHaveLength(1);
    expect(gateway.child.stderr).not.toContain('not reloaded');
    await client.until((await client.submit('hello')).id, 'COMPLETED');
    expect(sends(second)).toEqual([]);
    expect(await idsOf(client, '/v1/quotas')).toEqual([]);
    const mended = await changed(way, place, gateway, () => ({
      upstreams,
      routing: {},
      quotas: [],
      vaults: [],
      limits: {},
      nonsense: undefined,
    }));
    expect(mended).toMatchObject({ applied: ['upstreams.a2a'], needs_restart: [] });
    await client.until((await client.submit('hello')).id, 'COMPLETED');
    expect(sends(second)).toHaveLength(1);
    await stream.untilEvent('task.completed');
    expect((await gateway.stop()).code).toBe(0);
  }, 60_000);

  it('names each option that needs a restart, keeps it as it was, and has it after one', async () => {
    const { place, gateway, client } = await started({});
    const next: Sections = {
      server: { port: 0, allowed_hosts: ['gateway.example.com'], public_url: 'https://gateway.example.com' },
      store: { data: place.data, workspace_roots: [keptFolder()] },
      receipts: { name: 'Example' },
      retention: { events_days: 30 },
      outbound: { allow: ['127.0.0.1'] },
      limits: { max_queued_tasks: 17 },
      telemetry: { log_level: 'info', metrics: false },
      console: { enabled: false },
    };
    const restart = Object.entries(TAKES_EFFECT).flatMap(([name, effect]) =>
      effect === 'restart' ? [name] : [],
    );
    expect(Object.keys(next).sort()).toEqual(restart.sort());
    const outcome = await changed(way, place, gateway, () => next);
    const named = [
      'server.public_url',
      'server.allowed_hosts',
      'store.workspace_roots',
      'receipts.name',
      'retention.events_days',
      'outbound.allow',
      'limits.max_queued_tasks',
      'telemetry.metrics',
      'console.enabled',
    ];
    expect(outcome).toMatchObject({ msg: RELOADED, applied: [] });
    expect(outcome.needs_restart.toSorted()).toEqual(named.toSorted());
    if (way.way === 'harn-gateway reload') for (const option of named) expect(outcome.said).toContain(option);
    expect((await client.call('GET', '/metrics')).status).toBe(200);
    expect((await gateway.stop()).code).toBe(0);
    const again = await place.start();
    expect((await again.client.call('GET', '/metrics')).status).toBe(404);
    expect((await again.stop()).code).toBe(0);
  }, 60_000);

  it('gives new handshakes the certificate that lies in its file now, and open streams go on', async () => {
    const folder = keptFolder();
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, TLS_KEY);
    const { gateway, client } = await started({ server: { port: 0, tls: { cert, key } } });
    const before = await fingerprint(client.url);
    const stream = await openStream(`${client.url}/v1/events/stream`);
    expect(await reloaded(way, gateway, () => selfSigned(cert, key))).toMatchObject({ msg: RELOADED });
    const after = await fingerprint(client.url);
    expect(after).not.toBe(before);
    expect(await statusOf(`${client.url}/v1/sessions`, { workspace_id: 'workspace_default' })).toBe(201);
    await expect.poll(() => stream.text).toContain('session.created');
    stream.close();
  }, 60_000);

  it('keeps its certificate where the pair in the files does not fit', async () => {
    const folder = keptFolder();
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, TLS_KEY);
    const { gateway, client } = await started({ server: { port: 0, tls: { cert, key } } });
    const before = await fingerprint(client.url);
    const other = join(folder, 'other-key.pem');
    const refused = await reloaded(way, gateway, () => selfSigned(cert, other));
    expect(refused.faults.map(({ path }) => path)).toEqual([expect.stringContaining('server.tls')]);
    expect(await fingerprint(client.url)).toBe(before);
    expect(await reloaded(way, gateway, () => copyFileSync(other, key))).toMatchObject({ msg: RELOADED });
    expect(await fingerprint(client.url)).not.toBe(before);
  }, 60_000);
});
