import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RememberRule } from '#resources/permission-rule/schema.ts';
import type { TestClient } from '../harness/client.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';
import { SeededRandom } from './seeded-random.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_123);
const KILLS = 8;
const RULES = '/v1/permissions/rules';

let place: GatewayPlace;
beforeEach(() => {
  place = new GatewayPlace({ policy: { remember: { act_auto: 'workspace' } } });
});
afterEach(() => place.remove());
afterAll(killChildren);

/** What the gateway has said, and what it was asked for and did not come to answer. */
class Told {
  readonly rules = new Set<string>();
  /** Asked to go, with no answer: there or gone. */
  readonly leaving = new Set<string>();
  policy: string | undefined;
  nextPolicy: string | undefined;
}

/** Makes, revokes and installs until the gateway is gone. */
async function change(client: TestClient, told: Told, random: SeededRandom): Promise<void> {
  for (let n = 0; ; n += 1) {
    const oldest = random.chance(0.4) ? [...told.rules][0] : undefined;
    if (oldest !== undefined) {
      told.rules.delete(oldest);
      told.leaving.add(oldest);
      const { status } = await client.call('DELETE', `${RULES}/${oldest}`);
      if (status === 204) told.leaving.delete(oldest);
      continue;
    }
    if (random.chance(0.3)) {
      told.nextPolicy = `src/${random.between(0, 1e9)}/**`;
      await client.call('PUT', '/v1/permissions/policy', { body: { read: [told.nextPolicy] } });
      told.policy = told.nextPolicy;
      continue;
    }
    const body = {
      scope: 'workspace',
      scope_value: 'workspace_default',
      class: 'write',
      action_pattern: `act-${n}`,
      target_pattern: '**',
      allow: true,
    };
    told.rules.add((await client.post<RememberRule>(RULES, body)).id);
  }
}

describe(`SIGKILL while permission rules change (seed ${SEED})`, () => {
  it('keeps each rule that was answered, none that was revoked, and the last policy', async () => {
    const random = new SeededRandom(SEED);
    const told = new Told();
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const gateway = await place.start();
      const { client } = gateway;
      const { data } = await client.get<{ data: RememberRule[] }>(`${RULES}?limit=200`);
      const found = new Set(data.map(({ id }) => id));
      expect([...told.rules].filter((id) => !found.has(id))).toEqual([]);
      // One that was made and never answered is nobody's fault: at most one a kill.
      const unknown = [...found].filter((id) => !told.rules.has(id) && !told.leaving.has(id));
      expect(unknown.length).toBeLessThanOrEqual(1);
      told.leaving.clear();
      for (const id of found) told.rules.add(id);
      const { policy } = await client.get<{ policy: { read: string[] } }>('/v1/permissions/policy');
      const allowed = [told.policy, told.nextPolicy].map((read) => (read === undefined ? [] : [read]));
      expect(allowed).toContainEqual(policy.read);
      [told.policy] = policy.read;
      told.nextPolicy = told.policy;
      if (kill === KILLS) await gateway.stop();
      else {
        const changes = change(client, told, random).catch((error: unknown) => error);
        await pause(random.between(150, 600));
        await gateway.kill();
        // No connection: no refusal.
        expect(await changes).toMatchObject({ message: 'fetch failed' });
      }
    }
    expect(told.rules.size).toBeGreaterThan(0);
    expect(await place.check()).toMatchObject({ code: 0, stdout: expect.stringContaining('0 findings') });
  }, 120_000);

  it('decides by a rule after a kill as before it', async () => {
    const before = await place.start();
    const { id: session } = await before.client.session();
    const rule = { scope: 'session', scope_value: session, class: 'write', action_pattern: 'files__*' };
    const made = await before.client.post<RememberRule>(RULES, {
      ...rule,
      target_pattern: 'src/**',
      allow: false,
    });
    const question = {
      id: 'check-1',
      session_id: session,
      actor: 'actor_faults',
      class: 'write',
      action: 'files__write',
      target: 'src/a.ts',
    };
    const check = (client: TestClient) =>
      client.post<Record<string, unknown>>('/v1/permissions/check', question);
    const said = await check(before.client);
    expect(JSON.stringify(said)).toContain(made.id);
    await before.kill();
    const after = await place.start();
    expect(await check(after.client)).toEqual(said);
    await after.stop();
  }, 60_000);
});
