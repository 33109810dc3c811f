import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLogging, type MoveStep, moveTools, systemClock, systemRandom } from '#compose/compose.ts';
import { loadConfig } from '#config/load.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { Child, killChildren, PACKAGE_ROOT, PROGRAM, runProgram } from '../child-processes.ts';
import { GatewayPlace } from '../gateway-process.ts';

const LIMIT_MS = 180_000;
const SESSIONS = 8;
/** Of these pieces of 256 KiB a log of the tests has some. */
const LARGE_TEXT = 'a long word '.repeat(12_000);

describe.skipIf(NATS_SERVER === undefined)(needsNats('log move'), () => {
  let servers: NatsServers;
  let name = 0;
  const places: GatewayPlace[] = [];
  beforeAll(async () => {
    servers = await NatsServers.start();
  });
  afterEach(async () => {
    await killChildren();
    for (const place of places.splice(0)) place.remove();
  });
  afterAll(async () => {
    await servers.close();
  });

  /** A data directory with a configuration for either place of its log. */
  function bothPlaces(data?: string): { embedded: GatewayPlace; replicated: GatewayPlace } {
    const store = { servers: [...servers.urls], replicas: 1, name: `move${name}` };
    const embedded = new GatewayPlace({ store: { ...store, kind: 'leveldb' } }, data);
    const replicated = new GatewayPlace({ store: { ...store, kind: 'jetstream' } }, data ?? embedded.data);
    places.push(embedded, replicated);
    return { embedded, replicated };
  }

  const move = (to: string, { config }: GatewayPlace) =>
    runProgram('log', 'move', '--to', to, '--json', '--config', config);

  async function idsIn(place: GatewayPlace): Promise<string[]> {
    const gateway = await place.start();
    const ids = (await gateway.client.events('/v1/events')).map(({ id }) => id);
    expect((await gateway.stop()).code).toBe(0);
    return ids;
  }

  async function stocked(place: GatewayPlace, sessions = SESSIONS): Promise<string[]> {
    const gateway = await place.start();
    for (let n = 0; n < sessions; n += 1)
      await gateway.client.session({ n, word: LARGE_TEXT.slice(0, 60_000) });
    const ids = (await gateway.client.events('/v1/events')).map(({ id }) => id);
    expect((await gateway.stop()).code).toBe(0);
    return ids;
  }

  async function expectSound(place: GatewayPlace): Promise<void> {
    const { code, stdout } = await place.check();
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(' 0 findings') });
  }

  it(
    'brings a log into a stream, where any node reads it, and back with what came since',
    async () => {
      name += 1;
      const { embedded, replicated } = bothPlaces();
      const before = await stocked(embedded);
      const there = await move('jetstream', embedded);
      expect(there, there.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(there.stdout)).toEqual({
        moved: true,
        to: 'jetstream',
        stream: `HARN_move${name}_0000`,
        commits: expect.any(Number),
      });
      expect(JSON.parse((await move('jetstream', embedded)).stdout)).toMatchObject({ moved: false });
      // The copy must not go on by itself.
      const refused = await embedded.launch().child.ended;
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('log move --to leveldb')]);

      expect((await idsIn(replicated)).slice(0, before.length)).toEqual(before);
      const other = bothPlaces(join(embedded.folder, 'other'));
      cpSync(join(embedded.data, 'keys'), join(other.replicated.data, 'keys'), { recursive: true });
      const since = await stocked(other.replicated, 2);
      expect(since.slice(0, before.length)).toEqual(before);
      expect(since.length).toBeGreaterThan(before.length);
      await expectSound(other.replicated);

      const back = await move('leveldb', replicated);
      expect(back, back.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(back.stdout)).toMatchObject({ moved: true, to: 'leveldb' });
      expect((await idsIn(embedded)).slice(0, since.length)).toEqual(since);
      await expectSound(embedded);
      for (const gone of [replicated, other.replicated]) {
        const { code, stderr } = await gone.launch().child.ended;
        expect([code, stderr]).toEqual([3, expect.stringContaining('log move')]);
      }
      await expectSound(embedded);

      const again = await move('jetstream', embedded);
      expect(again, again.stderr).toMatchObject({ code: 0 });
      rmSync(join(embedded.data, 'store'), { recursive: true, force: true });
      expect((await idsIn(replicated)).slice(0, since.length)).toEqual(since);
      await expectSound(replicated);
    },
    LIMIT_MS,
  );

  it(
    'goes on where it was stopped, and begins anew where the log went on meanwhile',
    async () => {
      name += 1;
      const { embedded, replicated } = bothPlaces();
      await stocked(embedded, 12);
      const { moveToJetStream } = await moveTools();
      const config = loadConfig({
        flags: { config: embedded.config },
        env: {},
        cwd: embedded.folder,
        packageRoot: PACKAGE_ROOT,
      });
      const { logger } = createLogging('silent', { write: () => undefined });
      const begin = () => moveToJetStream({ config, clock: systemClock, random: systemRandom, logger });
      const stopAfter = async (steps: number): Promise<MoveStep | undefined> => {
        let taken = 0;
        for await (const step of begin()) {
          if (step.kind !== 'progress') return step;
          if (step.work !== 'checked') taken += 1;
          if (taken > steps) return undefined;
        }
        return undefined;
      };
      let ids: string[] = [];
      let steps = 0;
      for (; (await stopAfter(steps)) === undefined; steps += 1)
        // Beside the places at which it is only stopped, one at which the log went on.
        if (steps === 2) ids = await stocked(embedded, 2);
      expect(steps).toBeGreaterThan(5);
      rmSync(join(embedded.data, 'store'), { recursive: true, force: true });
      expect((await idsIn(replicated)).slice(0, ids.length)).toEqual(ids);
      await expectSound(replicated);
    },
    LIMIT_MS,
  );

  it(
    'survives kill -9 at any moment, both ways',
    async () => {
      name += 1;
      const { embedded, replicated } = bothPlaces();
      let ids = await stocked(embedded, 12);
      for (const to of ['jetstream', 'leveldb']) {
        const { config } = to === 'jetstream' ? embedded : replicated;
        let code: number | null = null;
        for (let afterMs = 400; code !== 0; afterMs += 400) {
          const child = new Child([PROGRAM, 'log', 'move', '--to', to, '--config', config]);
          const killed = pause(afterMs).then(() => child.process.kill('SIGKILL'));
          const end = await child.ended;
          code = end.code;
          if (code !== null) expect([code, end.stderr]).toEqual([0, end.stderr]);
          await killed;
        }
        const now = await idsIn(to === 'jetstream' ? replicated : embedded);
        expect(now.slice(0, ids.length)).toEqual(ids);
        await expectSound(embedded);
        ids = now;
      }
    },
    LIMIT_MS,
  );

  it('refuses the stream of another log, a missing place and a missing log in words', async () => {
    name += 1;
    const { embedded } = bothPlaces();
    await stocked(embedded, 1);
    expect((await move('jetstream', embedded)).code).toBe(0);
    const other = bothPlaces(join(embedded.folder, 'other'));
    const none = await move('jetstream', other.embedded);
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('holds no event log')]);
    await stocked(other.embedded, 1);
    const used = await move('jetstream', other.embedded);
    expect([used.code, used.stderr]).toEqual([3, expect.stringContaining('Name another one in store.name')]);
    expect(existsSync(join(other.embedded.data, 'store'))).toBe(true);
    const nowhere = new GatewayPlace({}, embedded.data);
    places.push(nowhere);
    const unnamed = await move('leveldb', nowhere);
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('store.servers')]);
    const missing = await runProgram('log', 'move', '--config', embedded.config);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--to')]);
  });
});
