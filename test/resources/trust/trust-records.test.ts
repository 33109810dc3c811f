import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { type TrustRecord, trustRecord } from '#resources/trust/schema.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

const STRANGERS = {
  tenants: [{ id: 'tenant_other' }],
  workspaces: [{ id: 'workspace_second' }, { id: 'workspace_other', tenant: 'tenant_other' }],
};
const KEYS = [
  { actor: 'ann', workspaces: ['workspace_default', 'workspace_second'] },
  { actor: 'second', workspaces: ['workspace_second'] },
  { actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_other'] },
  { actor: 'unscoped', scopes: ['tasks:read', 'receipts:read'] },
];

/** What an independent reader of the records does: hash each, follow the links. */
function verified(records: readonly TrustRecord[]): void {
  let previous: string | null = null;
  for (const [at, record] of records.entries()) {
    const { entry_hash, ...content } = record;
    expect(trustRecord.safeParse(record).error).toBeUndefined();
    expect(record.chain_index).toBe(at + 1);
    expect(record.previous_hash).toBe(previous);
    expect(entry_hash).toBe(`sha256:${sha256Hex(canonicalJson(content as unknown as JsonObject))}`);
    previous = entry_hash;
  }
}

describe('trust records', () => {
  let agent: AskingClient;
  let gateway: TestGateway;
  let root: string;
  let data: string;
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'harn-trust-'));
    data = mkdtempSync(join(root, 'data-'));
    agent = new AskingClient();
    gateway = await startTestGateway({ data, clock, keys: KEYS, config: STRANGERS, extraClients: [agent] });
  });
  afterEach(async () => {
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step).toMatchObject({ kind: 'progress' });
    rmSync(root, { recursive: true });
  });

  const recordsOf = async (client: TestClient, query = ''): Promise<TrustRecord[]> =>
    (await client.get<{ data: TrustRecord[] }>(`/v1/trust-records?limit=200${query}`)).data.reverse();

  async function asked(client = gateway.client, workspace?: string) {
    const session =
      workspace && (await client.post<{ id: string }>('/v1/sessions', { workspace_id: workspace }));
    const task = await client.submit('tool', session ? session.id : undefined, { route: agent.route });
    await client.until(task.id, 'AUTH_REQUIRED');
    const path = `/v1/tasks/${task.id}/permission-requests`;
    const [request] = (await client.get<{ data: PermissionRequest[] }>(path)).data;
    const respond = (body: object, as = client) =>
      as.call('POST', `/v1/permission-requests/${request?.id}/respond`, { body });
    return { task, request, respond };
  }
  const eventOf = async ({ metadata }: TrustRecord) =>
    gateway.client.get<{ event: string; payload: JsonObject }>(`/v1/events/${metadata['event_id']}`);

  it('[S8-TRUST-01] an approval is a record that names who approved what, with the hash of the arguments, signed', async () => {
    const { task, request, respond } = await asked();
    await respond({ approved: true, reviewer: 'Ann from operations' }, gateway.clients['ann']);
    const records = await recordsOf(gateway.client);
    verified(records);
    expect(records).toHaveLength(1);
    const [record] = records as [TrustRecord];
    expect(record).toMatchObject({
      schema: 'opentrustgraph/v0',
      agent: 'fake:asking',
      action: 'tool:delete_file',
      approver: 'ann',
      outcome: 'success',
      autonomy_tier: 'act_auto',
      metadata: {
        topic: 'workspace:workspace_default',
        task_id: task.id,
        request_id: request?.id,
        reviewer: 'Ann from operations',
        input_sha256: `sha256:${sha256Hex('{"path":"/tmp/x"}')}`,
        approval: { required: true, quorum: 1, signatures: [{ reviewer: 'ann', approved: true }] },
      },
    });
    const proved = await eventOf(record);
    expect(proved).toMatchObject({
      event: 'tool.approved',
      payload: { request_id: request?.id, input_sha256: record.metadata['input_sha256'] },
    });
  });

  it('a denial and a deadline are records of their own, and none of them breaks the chain', async () => {
    await (await asked()).respond({ approved: false, reason: 'Not today.' });
    const late = await asked();
    passed += 1;
    const brief = await gateway.client.submit('brief', undefined, { route: agent.route });
    await gateway.client.until(brief.id, 'AUTH_REQUIRED');
    passed += 120_000;
    await gateway.tidy();
    await late.respond({ approved: true });
    const records = await recordsOf(gateway.client);
    verified(records);
    expect(records.map(({ outcome, approver }) => [outcome, approver])).toEqual([
      ['denied', null],
      ['timeout', null],
      ['success', 'actor_test'],
    ]);
    expect(records[0]?.metadata).toMatchObject({ reason: 'Not today.', denial: { reviewer: 'actor_test' } });
    expect(records[1]?.metadata).not.toHaveProperty('denial');
  });

  it('is in the commit of its event: both are there after a restart, or none', async () => {
    const { respond, request } = await asked();
    await respond({ approved: true });
    const before = await recordsOf(gateway.client);
    await gateway.close();
    gateway = await startTestGateway({ data, clock, keys: KEYS, config: STRANGERS, extraClients: [agent] });
    expect(await recordsOf(gateway.client)).toEqual(before);
    const told = (await gateway.client.events('/v1/events')).filter(({ payload }) =>
      [payload['request_id'], payload['event_id']].some(
        (id) => id === request?.id || id === before[0]?.metadata['event_id'],
      ),
    );
    expect(told.map(({ event }) => event)).toContain('vendor.harn_gateway.trust_recorded');
    expect(
      new Set(told.filter(({ event }) => /approved|trust/.test(event)).map((e) => e.created_at)).size,
    ).toBe(1);
  });

  it('a changed tier of a persona is a record of its tenant, and is told with those of all workspaces', async () => {
    await gateway.close();
    const dir = join(root, 'personas');
    const start = async (tier: string) => {
      mkdirSync(dir, { recursive: true });
      const persona = `id: clerk\nname: Clerk\nversion: "1"\nentry_workflow: x\ndescription: d\nautonomy_tier: ${tier}\nreceipt_policy: required\n`;
      writeFileSync(join(dir, 'clerk.yaml'), persona);
      const config = { ...STRANGERS, personas: { dir } };
      return startTestGateway({ data, clock, keys: KEYS, config, extraClients: [agent] });
    };
    for (const tier of ['suggest', 'act_auto']) await (await start(tier)).close();
    gateway = await start('act_auto');
    const records = await recordsOf(gateway.client);
    verified(records);
    expect(records).toMatchObject([
      {
        agent: 'clerk',
        action: 'autonomy_tier.changed',
        outcome: 'success',
        autonomy_tier: 'act_auto',
        metadata: { previous_tier: 'suggest', topic: 'tenant:tenant_default' },
      },
    ]);
    expect(await recordsOf(gateway.client, '&workspace_id=workspace_default')).toEqual([]);
    expect(await recordsOf(gateway.clients['stranger'] as TestClient)).toEqual([]);
  });

  it('a changed tier of a session is a record of its workspace; what changes nothing is none', async () => {
    const { id } = await gateway.client.session();
    const set = (autonomy_tier: string | null) =>
      gateway.client.call('PATCH', `/v1/sessions/${id}`, { body: { metadata: { autonomy_tier } } });
    for (const tier of ['act_auto', 'suggest', 'suggest', null]) await set(tier);
    const records = await recordsOf(gateway.client);
    verified(records);
    const change = { agent: id, action: 'autonomy_tier.changed', approver: 'actor_test' };
    const topic = 'workspace:workspace_default';
    expect(records).toMatchObject([
      { ...change, autonomy_tier: 'suggest', metadata: { topic, session_id: id, previous_tier: 'act_auto' } },
      { ...change, autonomy_tier: 'act_auto', metadata: { topic, session_id: id, previous_tier: 'suggest' } },
    ]);
    expect(await eventOf(records[0] as TrustRecord)).toMatchObject({
      event: 'vendor.harn_gateway.session_updated',
      payload: { changes: { metadata: { autonomy_tier: 'suggest' } } },
    });
  });

  it('[S8-TRUST-03] each workspace has a chain of its own, shown to its members alone, page by page', async () => {
    const { ann, second, stranger, unscoped } = gateway.clients as Record<string, TestClient>;
    for (const workspace of [
      'workspace_default',
      'workspace_second',
      'workspace_default',
      'workspace_second',
    ])
      await (await asked(ann, workspace)).respond({ approved: true });
    const topics = (records: TrustRecord[]) => new Set(records.map(({ metadata }) => metadata['topic']));
    const own = await recordsOf(second as TestClient);
    expect(own).toHaveLength(2);
    expect(topics(own)).toEqual(new Set(['workspace:workspace_second']));
    verified(own);
    verified(await recordsOf(ann as TestClient, '&workspace_id=workspace_default'));
    expect(await recordsOf(ann as TestClient)).toHaveLength(4);
    expect(await recordsOf(stranger as TestClient)).toEqual([]);
    const hidden = await second?.call('GET', '/v1/trust-records?workspace_id=workspace_default');
    const absent = await second?.call('GET', '/v1/trust-records?workspace_id=workspace_nowhere');
    expect([hidden?.status, absent?.status]).toEqual([404, 404]);
    const page = await ann?.get<{ data: TrustRecord[]; next_cursor: string }>('/v1/trust-records?limit=3');
    const rest = await ann?.get<{ data: TrustRecord[]; next_cursor: null }>(
      `/v1/trust-records?limit=3&cursor=${page?.next_cursor}`,
    );
    expect([page?.data.length, rest?.data.length, rest?.next_cursor]).toEqual([3, 1, null]);
    // Last: the refusal is a record too.
    expect((await unscoped?.call('GET', '/v1/trust-records'))?.status).toBe(403);
  });
});
