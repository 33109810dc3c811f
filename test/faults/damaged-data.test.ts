import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KEY_KINDS, keysUnder } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { unseal } from '#store/sealed-record.ts';
import { runCommand } from '../interop/command-line.ts';
import { bitFlips } from './bit-flips.ts';
import { killChildren, runProgram } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const FLIPS = Number(process.env['FAULTS_FLIPS'] ?? 50);

afterAll(killChildren);

describe('a bit that flipped in the store (D-11)', () => {
  it(`never makes the gateway serve a wrong value, ${FLIPS} times (seed ${SEED})`, async () => {
    const { violations, counts } = await bitFlips(SEED, FLIPS);
    process.stderr.write(`bit flips, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    // None ended the process.
    expect(counts['flips']).toBe(FLIPS);
  }, 120_000);
});

describe('a flipped bit in a key of a table that a compaction reads', () => {
  const ROUNDS = 5;
  /** Seconds. */
  const LONG_AGO = 1_000_000_000;

  /** A gateway was stopped so often that LevelDB has tables to merge. Returns the sessions that were made. */
  async function stocked(place: GatewayPlace): Promise<string[]> {
    const ids: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const gateway = await place.start();
      for (let n = 0; n < 40; n += 1) ids.push((await gateway.client.session()).id);
      await gateway.stop();
    }
    return ids;
  }

  const tablesIn = (place: GatewayPlace) =>
    readdirSync(join(place.data, 'store')).filter((name) => name.endsWith('.ldb'));

  /** Moves the first key of every table behind the others of its block: a merge then meets keys out of order. */
  function damage(place: GatewayPlace): void {
    for (const name of tablesIn(place)) {
      const file = join(place.data, 'store', name);
      const bytes = readFileSync(file);
      // The uncompressed size, the tag of a literal, three sizes: then the key.
      const at = bytes.findIndex((byte, place) => place > 4 && byte === '/'.charCodeAt(0)) - 1;
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      writeFileSync(file, bytes);
      utimesSync(file, LONG_AGO, LONG_AGO);
    }
  }

  it('ends no start: the tables are set aside, their keys are 423, and the check names them', async () => {
    const place = new GatewayPlace();
    try {
      const ids = await stocked(place);
      const killed = await place.start();
      await killed.kill();
      const before = tablesIn(place).length;
      expect(before).toBeGreaterThan(0);
      damage(place);

      for (let start = 0; start < 2; start += 1) {
        const gateway = await place.start();
        const statuses: number[] = [];
        for (const id of ids) statuses.push((await gateway.client.call('GET', `/v1/sessions/${id}`)).status);
        expect(statuses.filter((status) => status !== 200 && status !== 423)).toEqual([]);
        const made = await gateway.client.call('POST', '/v1/sessions', {
          body: { workspace_id: 'workspace_default' },
        });
        expect([201, 423, 503]).toContain(made.status);
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        expect((await gateway.client.call('GET', '/health')).status).toBe(200);
        const { code, stderr } = await gateway.stop();
        expect(code).toBe(0);
        expect(stderr.includes('a table of the store is damaged')).toBe(start === 0);
      }
      expect(readdirSync(join(place.data, 'store', 'set-aside'))).toHaveLength(before);
      const { code, stdout } = await place.check();
      expect(stdout).toContain('damage between');
      expect(code).toBe(1);
    } finally {
      place.remove();
    }
  }, 90_000);

  it('that came after a clean stop and shows in no size or time may end one start, and none after it', async () => {
    const place = new GatewayPlace();
    try {
      await stocked(place);
      for (const name of tablesIn(place)) utimesSync(join(place.data, 'store', name), LONG_AGO, LONG_AGO);
      expect(await place.check()).toMatchObject({ code: 0 });
      const store = join(place.data, 'store');
      const marks = JSON.parse(readFileSync(join(store, 'checked-tables.json'), 'utf8')).tables;
      expect(Object.keys(JSON.parse(marks)).length).toBeGreaterThan(0);
      damage(place);
      const first = place.launch();
      await first.ready.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await first.kill();

      const second = await place.start();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(second.child.process.exitCode).toBeNull();
      expect((await second.client.call('GET', '/health')).status).toBe(200);
      expect((await second.stop()).code).toBe(0);
    } finally {
      place.remove();
    }
  }, 90_000);
});

const log = (place: GatewayPlace, command: string) => runCommand(['log', command, '--config', place.config]);

describe('a write-ahead log that lost its end (D-04)', () => {
  const SESSIONS = 60;

  /** Cuts the newest log of the stopped gateway to a part of its size. */
  function cutLog(place: GatewayPlace, part: number): void {
    const store = join(place.data, 'store');
    const logs = readdirSync(store).filter((name) => name.endsWith('.log'));
    const file = join(store, logs.sort().at(-1) ?? '');
    truncateSync(file, Math.floor(statSync(file).size * part));
  }

  /** Read from the store: the event belongs to no workspace, so no caller is shown it. */
  async function eventKinds(place: GatewayPlace): Promise<string[]> {
    const store = await openLevelStore({ path: join(place.data, 'store') });
    const kinds: string[] = [];
    for await (const page of store.entries(keysUnder(KEY_KINDS.event.prefix)))
      for (const [key, sealed] of page)
        kinds.push((JSON.parse(unseal(sealed, key).toString()) as { event: string }).event);
    await store.close();
    return kinds;
  }

  it('is found by the checkpoint: reads go on, writes wait for the operator, whose acceptance is recorded', async () => {
    const place = new GatewayPlace();
    try {
      const first = await place.open();
      const ids: string[] = [];
      for (let n = 0; n < SESSIONS; n += 1) ids.push((await first.client.session()).id);
      await first.close();
      cutLog(place, 0.6);

      const truncated = await place.open();
      const ready = await truncated.client.call('GET', '/ready');
      expect(ready.status).toBe(503);
      expect(ready.text).toContain('"integrity":"truncated"');
      expect((await truncated.client.call('GET', '/health')).status).toBe(200);
      const statuses = [];
      for (const id of ids) statuses.push((await truncated.client.call('GET', `/v1/sessions/${id}`)).status);
      const left = statuses.indexOf(404);
      expect(left).toBeGreaterThan(SESSIONS / 3);
      expect(statuses).toEqual(ids.map((_, at) => (at < left ? 200 : 404)));
      const refused = await truncated.client.call('POST', '/v1/sessions', {
        body: { workspace_id: 'workspace_default' },
      });
      expect(refused).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
      await truncated.close();

      expect(await log(place, 'check')).toMatchObject({
        code: 1,
        out: expect.stringContaining('checkpoint'),
      });
      expect((await log(place, 'accept-truncation')).code).toBe(0);
      expect(await log(place, 'check')).toMatchObject({ code: 0 });
      expect(await log(place, 'accept-truncation')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^error: /),
      });

      const accepted = await place.open();
      expect((await accepted.client.call('GET', '/ready')).status).toBe(200);
      await accepted.client.session();
      await accepted.close();
      expect(await eventKinds(place)).toContain('vendor.harn_gateway.truncation_accepted');
      expect(await log(place, 'check')).toMatchObject({ code: 0 });
    } finally {
      place.remove();
    }
  }, 60_000);
});

describe('a hole in the write-ahead log (D-11)', () => {
  it('keeps the gateway from starting, and its own words say how to go on with what is before it', async () => {
    const place = new GatewayPlace();
    try {
      const first = await place.open();
      const before = (await first.client.session()).id;
      for (let n = 0; n < 30; n += 1) await first.client.session();
      await first.close();
      const store = join(place.data, 'store');
      const file = join(store, readdirSync(store).find((name) => name.endsWith('.log')) ?? '');
      const bytes = readFileSync(file);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);

      const { code, stderr } = await runProgram('serve', '--config', place.config);
      expect(code).toBe(3);
      const [, size = '', named] = /run "truncate -s (\d+) ([^"]+)"/.exec(stderr) ?? [];
      expect(named).toBe(file);
      truncateSync(file, Number(size));
      expect((await log(place, 'accept-truncation')).code).toBe(0);
      expect((await log(place, 'check')).code).toBe(0);
      const accepted = await place.open();
      expect((await accepted.client.call('GET', `/v1/sessions/${before}`)).status).toBe(200);
      expect((await accepted.client.session()).id).toMatch(/^session_/);
      await accepted.close();
    } finally {
      place.remove();
    }
  }, 60_000);
});
