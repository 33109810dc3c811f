import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Finding } from '#eventlog/finding.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { checkTrustRecords } from '#resources/trust/check-trust-records.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import { startTestGateway } from '../../harness/gateway.ts';

describe('the check of the log over trust records', () => {
  const root = mkdtempSync(join(tmpdir(), 'harn-check-trust-'));
  const data = mkdtempSync(join(root, 'data-'));

  /** Three decisions of one workspace: approved, denied, approved. */
  beforeAll(async () => {
    const agent = new AskingClient();
    const gateway = await startTestGateway({ data, extraClients: [agent] });
    const { client } = gateway;
    for (const approved of [true, false, true]) {
      const task = await client.submit('tool', undefined, { route: agent.route });
      await client.until(task.id, 'AUTH_REQUIRED');
      const path = `/v1/tasks/${task.id}/permission-requests`;
      const [request] = (await client.get<{ data: PermissionRequest[] }>(path)).data;
      await client.post(`/v1/permission-requests/${request?.id}/respond`, { approved });
    }
    await gateway.close();
  });
  afterAll(() => rmSync(root, { recursive: true }));

  async function findingsAfter(
    change: (store: Store, keys: string[]) => Promise<unknown>,
  ): Promise<Finding[]> {
    const copy = mkdtempSync(join(root, 'copy-'));
    cpSync(data, copy, { recursive: true });
    const store = await openLevelStore({ path: join(copy, 'store') });
    try {
      const keys: string[] = [];
      for await (const page of store.keys({ gte: 'tr/', lt: 'tr0' })) keys.push(...page);
      await change(store, keys);
      const registry = openKeyRegistry({
        dir: join(copy, 'keys'),
        clock: systemClock,
        random: systemRandom,
      });
      const findings: Finding[] = [];
      for await (const finding of checkTrustRecords(store, registry.verificationKeys()))
        findings.push(finding);
      return findings;
    } finally {
      await store.close();
    }
  }
  const put = (store: Store, key: string, value: JsonObject) =>
    store.write([{ type: 'put', key, value: seal(canonicalJson(value), key) }]);
  const read = (store: Store, key: string): JsonObject =>
    JSON.parse(unseal(store.get(key) ?? Buffer.alloc(0), key).toString());
  const rehashed = ({ entry_hash: _, ...content }: JsonObject) => ({
    ...content,
    entry_hash: `sha256:${sha256Hex(canonicalJson(content))}`,
  });

  it('[S8-TRUST-02] has no finding where nobody changed anything', async () => {
    expect(await findingsAfter(async () => undefined)).toEqual([]);
    const steps = [];
    for await (const step of checkData(data, systemClock, systemRandom)) steps.push(step.kind);
    expect(steps).toEqual(['progress']);
  });

  it.each<[string, string, (store: Store, keys: string[]) => Promise<unknown>]>([
    [
      'another outcome',
      'compare',
      (store, [, key = '']) => put(store, key, { ...read(store, key), outcome: 'success' }),
    ],
    [
      'another outcome with a fitting hash',
      'previous_hash',
      (store, [, key = '']) => put(store, key, rehashed({ ...read(store, key), outcome: 'failure' })),
    ],
    [
      'another approver at the end, with fitting hashes',
      'records, head',
      (store, [, , key = '']) => put(store, key, rehashed({ ...read(store, key), approver: 'mallory' })),
    ],
    [
      'a reviewer who never signed',
      'signatures',
      (store, [, , key = '']) => {
        const record = read(store, key);
        const text = JSON.stringify(record['metadata']).replaceAll('"actor_test"', '"mallory"');
        return put(store, key, rehashed({ ...record, metadata: JSON.parse(text) }));
      },
    ],
    [
      'a record of another chain',
      'chain: ',
      (store, [key = '']) => {
        const record = read(store, key);
        const metadata = { ...(record['metadata'] as JsonObject), topic: 'workspace:another' };
        return put(store, key, rehashed({ ...record, metadata }));
      },
    ],
    [
      'a record that is gone',
      'the next record',
      (store, [, key = '']) => store.write([{ type: 'del', key }]),
    ],
    ['an end that is gone', 'records, head', (store, [, , key = '']) => store.write([{ type: 'del', key }])],
    [
      'a chain that is gone',
      'the records of this chain',
      (store, keys) => store.write(keys.map((key) => ({ type: 'del', key }))),
    ],
    ['no record at all', 'schema', (store, [key = '']) => put(store, key, { schema: 'opentrustgraph/v0' })],
  ])('finds %s', async (_name, step, change) => {
    const findings = await findingsAfter(change);
    expect(findings.length).toBe(1);
    expect(findings[0]?.problem).toBe('trust');
    expect(findings[0]?.expected).toContain(step);
  });
});
