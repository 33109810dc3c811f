import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '#auth/api-keys.ts';
import { PartitionTable } from '#eventlog/jetstream/partition-table.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { TestClient } from '../../harness/client.ts';
import { QUIET } from '../../harness/jetstream-store.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { killChildren } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess, KEY } from '../gateway-process.ts';

const LIMIT_MS = 120_000;
const NODE = 'http://127.0.0.1:9';
const ACME_KEY = `harn_test_acme_${'t'.repeat(32)}`;
const SECRET = 's'.repeat(32);

describe.skipIf(NATS_SERVER === undefined)(needsNats('the gateway of a partition'), () => {
  let servers: NatsServers;
  let table: PartitionTable;
  let place: GatewayPlace;
  let gateway: GatewayProcess;
  let acme: TestClient;
  /** Its tenant lies in the first partition, and this is the gateway of the second. */
  let stranger: TestClient;

  beforeAll(async () => {
    servers = await NatsServers.start();
    const secret = join(servers.directory, 'hook');
    writeFileSync(secret, SECRET);
    const log = { servers: servers.urls, name: 'foreign', replicas: 1, partitions: 2 };
    table = await PartitionTable.open({
      ...log,
      tenants: ['tenant_default', 'acme'],
      wanted: { acme: 1 },
      nodeUrl: NODE,
      nodeId: 'node_1',
      newRelaySecret: () => 'secret',
      serves: () => [],
      clock: { monotonic: () => performance.now() },
      timers: nodeTimers,
      logger: QUIET,
      onOwner: () => undefined,
      onOvertaken: () => undefined,
    });
    place = new GatewayPlace({
      store: { ...log, kind: 'jetstream', advertise: NODE },
      tenants: [{ id: 'acme' }],
      workspaces: [{ id: 'ws_acme', tenant: 'acme' }],
      auth: {
        api_keys: [
          { id: 'faults', hash: apiKeyHash(KEY), actor: 'actor_faults' },
          { id: 'acme', hash: apiKeyHash(ACME_KEY), actor: 'robot', tenant: 'acme', workspaces: ['ws_acme'] },
        ],
      },
      connectors: ['workspace_default', 'ws_acme'].map((workspace) => ({
        id: `of_${workspace}`,
        provider: 'shop',
        deliver_as: 'message',
        workspace,
        auth: { type: 'hmac-sha256', secret: { file: secret } },
      })),
    } as never);
    gateway = place.launch('--partition', '0001');
    await gateway.ready;
    stranger = gateway.client;
    const { url } = JSON.parse(gateway.child.stdout.split('\n')[0] ?? '') as { url: string };
    acme = new TestClient(url, ACME_KEY);
  }, LIMIT_MS);

  afterAll(async () => {
    await gateway.stop();
    await table.close();
    killChildren();
    await servers.close();
    place.remove();
  });

  const elsewhere = { status: 503, body: { error: { code: 'service_unavailable' } } };
  const deliver = (workspace: string) => {
    const body = JSON.stringify({ note: 'an order' });
    const seconds = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
    const headers = {
      authorization: undefined,
      'Harn-Agents-Protocol-Version': undefined,
      'content-type': 'application/json',
      'X-Harn-Signature': `t=${seconds},v1=${v1}`,
    };
    return acme.call('POST', `/v1/connectors/of_${workspace}/deliveries`, { body, headers });
  };

  it('serves the tenants that lie in it', async () => {
    const body = { workspace_id: 'ws_acme' };
    expect((await acme.call('POST', '/v1/sessions', { body })).status).toBe(201);
    const { status, text } = await deliver('ws_acme');
    expect({ status, text }).toMatchObject({ status: 202 });
  });

  it('takes nothing of a tenant of another partition, whoever hands it on', async () => {
    const body = { workspace_id: 'workspace_default' };
    const refused = await stranger.call('POST', '/v1/sessions', { body });
    expect(refused).toMatchObject(elsewhere);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await stranger.call('GET', '/v1/sessions')).toMatchObject(elsewhere);
    expect(await stranger.call('GET', '/v1/events')).toMatchObject(elsewhere);
    expect(await deliver('workspace_default')).toMatchObject(elsewhere);
  });

  it('answers an operator, whose tenant may lie elsewhere, about its log', async () => {
    for (const path of ['/v1/audit', '/v1/receipt-log/head', '/v1/admin/signing-keys'])
      expect((await stranger.call('GET', path)).status).toBe(200);
  });
});
