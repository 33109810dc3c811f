import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Receipt, SigningKey } from '#resources/receipt/schema.ts';
import type { TestClient } from '../../harness/client.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { freePorts } from '../../harness/round-robin.ts';
import { killChildren, runProgram } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from '../gateway-process.ts';

const LIMIT_MS = 240_000;

describe.skipIf(NATS_SERVER === undefined)(needsNats('nodes of one log, each with keys of its own'), () => {
  let servers: NatsServers;
  let places: [GatewayPlace, GatewayPlace];

  beforeAll(async () => {
    servers = await NatsServers.start();
    const agent = await startAgentProcess();
    const placeAt = (port: number | undefined) =>
      new GatewayPlace({
        server: { port },
        store: {
          ...{ kind: 'jetstream', servers: servers.urls, name: 'keys', replicas: 1 },
          advertise: `http://127.0.0.1:${port}`,
        },
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      });
    const [first, second] = await freePorts(2);
    places = [placeAt(first), placeAt(second)];
  }, LIMIT_MS);

  afterAll(async () => {
    killChildren();
    await servers.close();
    for (const place of places) place.remove();
  });

  const statesOf = async (client: TestClient) => {
    const { data } = await client.get<{ data: SigningKey[] }>('/v1/admin/signing-keys');
    return Object.fromEntries(data.map(({ id, status }) => [id, status]));
  };
  const receipts: string[] = [];
  /** Of a task that ends now, who signed its receipt. */
  const signerOf = async (client: TestClient) => {
    const { id } = await client.until((await client.submit('say hello')).id, 'COMPLETED');
    const { data } = await client.get<{ data: Receipt[] }>(`/v1/tasks/${id}/receipts`);
    receipts.push(...data.map((receipt) => receipt.id));
    return data.at(-1)?.wire.signature?.key_id;
  };
  const expectAllToVerify = async (client: TestClient) => {
    for (const id of receipts)
      expect(await client.post(`/v1/receipts/${id}/verify`), id).toMatchObject({ valid: true, reason: null });
  };
  /** The node dies, and the other one decides. */
  const fail = async (dying: GatewayProcess, other: GatewayProcess) => {
    await dying.kill();
    expect(await other.decides).toBe(true);
  };

  it(
    'verify what any of them signed, and sign with no key that another one has ended',
    async () => {
      const one = await places[0].start();
      const other = await places[1].start();
      const first = await signerOf(one.client);
      const rotated = await one.client.post<SigningKey>('/v1/admin/signing-keys');
      expect(await signerOf(one.client)).toBe(rotated.id);

      await fail(one, other);
      const own = await signerOf(other.client);
      expect(await statesOf(other.client)).toEqual({
        [`${first}`]: 'retired',
        [rotated.id]: 'current',
        [`${own}`]: 'current',
      });
      await expectAllToVerify(other.client);

      // Ends the keys of all nodes, also of the one that is away.
      await other.client.post('/v1/admin/signing-keys');
      await other.client.post(`/v1/admin/signing-keys/${own}/revoke`);
      const back = await places[0].start();
      await fail(other, back);
      const fresh = await signerOf(back.client);
      expect([first, rotated.id, own]).not.toContain(fresh);
      expect(await statesOf(back.client)).toMatchObject({
        [rotated.id]: 'retired',
        [`${own}`]: 'revoked',
        [`${fresh}`]: 'current',
      });
      await expectAllToVerify(back.client);
      expect((await back.stop()).code).toBe(0);

      for (const place of places) {
        const checked = await place.check();
        expect(checked, checked.stdout).toMatchObject({ code: 0 });
      }
      // The log goes home with all of its keys.
      const moved = await runProgram('log', 'move', '--to', 'leveldb', '--config', places[1].config);
      expect(moved, moved.stderr).toMatchObject({ code: 0 });
      const whole = await places[1].check();
      expect(whole, whole.stdout).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );
});
