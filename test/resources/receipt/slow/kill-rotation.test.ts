import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { KeyRow } from '#receipts/key-registry.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { verifyChain } from '#receipts/verify-chain.ts';
import type { Receipt, SigningKey, WireReceipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { killChildren } from '../../../faults/child-processes.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from '../../../faults/gateway-process.ts';
import { SeededRandom } from '../../../faults/seeded-random.ts';
import type { TestClient } from '../../../harness/client.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_122);
const CYCLES = 4;
const CLIENTS = 3;

afterAll(killChildren);

/** Calls again and again until the gateway is gone; what the killed one did not answer may have happened or not. */
async function untilGone(call: () => Promise<unknown>): Promise<void> {
  let isThere = true;
  while (isThere)
    isThere = await call().then(
      () => true,
      () => false,
    );
}

/** The registry as the kill left it: readable, one key that signs, whose private half is there. */
function rowsLeft(data: string): KeyRow[] {
  const { keys: folder } = dataPaths(data);
  const { keys } = JSON.parse(readFileSync(join(folder, 'registry.json'), 'utf8')) as { keys: KeyRow[] };
  const current = keys.filter(({ not_after }) => not_after === null);
  expect(current).toHaveLength(1);
  expect(existsSync(join(folder, `${current[0]?.key_id}.pem`))).toBe(true);
  return keys;
}

/** The receipts of a session in the order of their links. */
async function chainOf(client: TestClient, session: string): Promise<WireReceipt[]> {
  const idsAt = async <Item>(path: string) => (await client.get<{ data: Item[] }>(path)).data;
  const following = new Map<string | null, WireReceipt>();
  for (const { id } of await idsAt<Task>(`/v1/sessions/${session}/tasks?limit=200`))
    for (const { wire } of await idsAt<Receipt>(`/v1/tasks/${id}/receipts`))
      following.set(wire.payload.chain.previous_receipt_hash, wire.payload);
  const chain: WireReceipt[] = [];
  for (let next = following.get(null); next !== undefined; next = following.get(next.chain.receipt_hash))
    chain.push(next);
  expect(chain).toHaveLength(following.size);
  return chain;
}

async function verifyAll(client: TestClient, sessions: readonly string[]): Promise<number> {
  const keys = keysOfJwks(await client.get<JsonObject>('/.well-known/jwks.json'));
  let count = 0;
  for (const session of sessions) {
    const chain = await chainOf(client, session);
    expect(verifyChain(chain as never, { keys, receipts: 'whole' })).toMatchObject({ ok: true });
    count += chain.length;
  }
  return count;
}

describe('SIGKILL of a gateway while its signing key is rotated under load', () => {
  it(`[S3-03] leaves the registry from before or after, and all that was signed verifies, ${CYCLES} times (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    const agent = await startAgentProcess();
    const place = new GatewayPlace({ upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } });
    const sessions: string[] = [];
    let known: string[] = [];
    const cycle = async (gateway: GatewayProcess) => {
      const { client } = gateway;
      const session = await client.session();
      sessions.push(session.id);
      const load = Array.from({ length: CLIENTS }, () => untilGone(() => client.submit('hello', session.id)));
      const acknowledged: string[] = [];
      const rotations = untilGone(async () => {
        acknowledged.push((await client.post<SigningKey>('/v1/admin/signing-keys')).id);
      });
      while (acknowledged.length === 0) await pause(5);
      await pause(random.between(0, 200));
      await gateway.kill();
      await Promise.all([...load, rotations]);
      const left = rowsLeft(place.data).map(({ key_id }) => key_id);
      const expected = [...(known.length === 0 ? left.slice(0, 1) : known), ...acknowledged];
      expect(left.slice(0, expected.length)).toEqual(expected);
      // The rotation that was under way took place or not.
      expect(left.length - expected.length).toBeLessThanOrEqual(1);
      known = left;
    };
    try {
      for (let n = 0; n < CYCLES; n += 1) {
        const gateway = await place.start();
        expect((await gateway.client.call('GET', '/ready')).status).toBe(200);
        await verifyAll(gateway.client, sessions);
        await cycle(gateway);
      }
      const last = await place.start();
      expect((await last.client.call('GET', '/ready')).status).toBe(200);
      expect(await verifyAll(last.client, sessions)).toBeGreaterThan(CYCLES);
      expect(known.length).toBeGreaterThan(CYCLES);
      await last.stop();
      expect(await place.check()).toMatchObject({ code: 0 });
    } finally {
      await agent.end();
      place.remove();
    }
  }, 180_000);
});
