import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFailure } from '#cli/exit-codes.ts';
import {
  checkData,
  createLogging,
  type MigrationParts,
  migrateData,
  openLog,
  systemClock,
  systemRandom,
} from '#compose/compose.ts';
import { loadConfig } from '#config/load.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { newestCommitOf } from '#eventlog/migrate/copy-log.ts';
import { FORMS, type Forms, SCHEMA_VERSION } from '#eventlog/migrate/forms.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { commitKey, keysUnder, metaKey, SUMMARY_KEY } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { FORMS_WITH_MADE_UP, MADE_UP, makeUpForm } from '../harness/made-up-form.ts';
import { placeRecordedLog, readThings, recordedLogs, thingsOf } from '../harness/recorded-log.ts';
import { RetentionStage } from '../resources/event/retention-stage.ts';
import { Child, killChildren, PACKAGE_ROOT, runProgram } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

const NEWEST = `schema-${SCHEMA_VERSION}`;

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harn-migrate-'));
  data = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(killChildren);

type Told = Record<string, unknown>;

/** What the migration said, without its progress. */
async function migrate(change: Partial<MigrationParts> = {}): Promise<Told[]> {
  const told: Told[] = [];
  const parts = { data, clock: systemClock, random: systemRandom, keepsDamaged: false, ...change };
  for await (const step of migrateData({ forms: FORMS_WITH_MADE_UP, ...parts }))
    if (step.kind !== 'progress') told.push({ ...step });
  return told;
}

async function findings(at = data, forms: Forms = FORMS): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const step of checkData(at, systemClock, systemRandom, forms))
    if (step.kind !== 'progress') found.push(step);
  return found;
}

/** What a gateway on the data says over REST. */
async function said(): Promise<Record<string, string>> {
  const gateway = await startTestGateway({ data });
  try {
    return await readThings(gateway.client);
  } finally {
    await gateway.close();
  }
}

async function rowsUnder(...prefixes: string[]): Promise<[string, string][]> {
  return opened(async (store) => {
    const rows: [string, string][] = [];
    for (const prefix of prefixes)
      for await (const page of store.entries(keysUnder(prefix)))
        rows.push(...page.map(([key, value]): [string, string] => [key, value.toString('base64')]));
    return rows;
  });
}

const opened = <T>(use: (store: Store) => T | Promise<T>): Promise<T> =>
  openLevelStore({ path: dataPaths(data).store }).then(async (store) => {
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  });

const contentAt = (store: Store, key: string): Told =>
  JSON.parse(unseal(store.get(key) ?? Buffer.alloc(0), key).toString());

const commit = (n: number): Promise<Told> => opened((store) => contentAt(store, commitKey(n)));
const meta = (): Promise<Told> => opened((store) => contentAt(store, metaKey('schema')));
const newest = (): Promise<Told> =>
  opened(async (store) => {
    const { n, hash } = await newestCommitOf(store);
    return { n, hash, event_id: contentAt(store, commitKey(n))['event_id'] };
  });

/** Changes one bit of a stored record in the middle of those with the prefix; returns its key. */
const flip = (prefix: string): Promise<string> =>
  opened(async (store) => {
    const keys: string[] = [];
    for await (const page of store.keys(keysUnder(prefix))) keys.push(...page);
    const key = keys[Math.floor(keys.length / 2)] ?? '';
    const stored = Buffer.from(store.get(key) ?? '');
    stored.writeUInt8(stored.readUInt8(stored.length - 1) ^ 1, stored.length - 1);
    await store.write([{ type: 'put', key, value: stored }]);
    return key;
  });

function openAs(forms: Forms): Promise<EventLog> {
  const { logger } = createLogging('error', { write: () => undefined });
  const config = loadConfig({
    flags: { data },
    env: {},
    cwd: folder,
    packageRoot: PACKAGE_ROOT,
    offline: true,
  });
  return openLog({ config, logger, clock: systemClock, random: systemRandom, forms });
}

const child = () => new Child([`${PACKAGE_ROOT}dist/test/faults/migrate-child.js`, data]);

/** Kills the migration once it has said so many lines. */
async function killedAfter(lines: number): Promise<void> {
  const migration = child();
  migration.process.stdout?.on('data', () => {
    if (migration.stdout.split('\n').length > lines) migration.process.kill('SIGKILL');
  });
  await migration.ended;
}

describe('the recorded log of each form', () => {
  it.each(recordedLogs())(
    '%s is opened, migrated and checked, and says what it said when it was recorded',
    async (name) => {
      await placeRecordedLog(data, name);
      const { code, stdout } = await runProgram('log', 'migrate', '--data', data, '--json');
      expect({ code, ...JSON.parse(stdout) }).toMatchObject(
        name === NEWEST
          ? { code: 0, migrated: false, schema: SCHEMA_VERSION }
          : { code: 0, migrated: true, to: SCHEMA_VERSION },
      );
      expect(await findings()).toEqual([]);
      expect(await said()).toEqual(thingsOf(name));
    },
  );
});

describe('log migrate', () => {
  let before: Record<string, string>;
  beforeEach(async () => {
    await placeRecordedLog(data, NEWEST);
    before = thingsOf(NEWEST);
  });

  const KEPT = ['e/', 'f/', 'rc/', 'tl/', 'tn/', 'th/', 'tr/', 'b/', 'a/', 'al/', 'o/', 'p/'];
  const DERIVED = ['r/', 'x/', 'l/', 'es/', 'et/', 'it/'];

  it('brings every event, receipt, frame and derived row over as it was', async () => {
    const [kept, derived] = [await rowsUnder(...KEPT), await rowsUnder(...DERIVED)];
    await makeUpForm(data);
    expect(await rowsUnder(...KEPT)).not.toEqual(kept);
    expect(await migrate()).toEqual([
      { kind: 'migrated', from: MADE_UP, to: SCHEMA_VERSION, former: join(data, `schema-${MADE_UP}`) },
    ]);
    expect(await rowsUnder(...KEPT)).toEqual(kept);
    expect(await rowsUnder(...DERIVED)).toEqual(derived);
    expect(await findings()).toEqual([]);
    expect(await said()).toEqual(before);
    expect(await migrate()).toEqual([{ kind: 'current', schema: SCHEMA_VERSION }]);
  });

  it('names log id, schema and last hash of the old log in its first commit, and chains the rest to it', async () => {
    await makeUpForm(data);
    const [{ log_id }, old] = [await meta(), await newest()];
    await migrate();
    const { migrated_from } = await commit(1);
    // The log was brought to the made-up form before.
    expect(migrated_from).toHaveLength(2);
    expect(migrated_from).toMatchObject([{ log_id }, { log_id, schema: MADE_UP, hash: old.hash }]);
    expect(await meta()).toEqual({ log_id, schema: SCHEMA_VERSION });
    const now = await newest();
    expect(now).toMatchObject({ n: old.n, event_id: old.event_id });
    expect(now.hash).not.toBe(old.hash);
    const signed = JSON.parse(readFileSync(dataPaths(data).checkpoint, 'utf8'));
    expect(signed).toMatchObject({ log_id, commit: now.n, event_id: now.event_id, hash: now.hash });
  });

  it('leaves the old store and its checkpoint where the operator can take them back', async () => {
    await makeUpForm(data);
    const old = await newest();
    await migrate();
    const former = join(data, `schema-${MADE_UP}`);
    expect(readdirSync(data).sort()).not.toContain('migration');
    rmSync(dataPaths(data).store, { recursive: true });
    for (const name of readdirSync(former)) renameSync(join(former, name), join(data, name));
    rmSync(former, { recursive: true });
    expect(await newest()).toEqual(old);
    expect(await migrate()).toEqual([{ kind: 'migrated', from: MADE_UP, to: SCHEMA_VERSION, former }]);
  });

  it('is what serve, log check and the other commands on an older log say to run, with exit code 3', async () => {
    await makeUpForm(data);
    const refused = /older form \(schema \d+; this version reads \d+\)\. Run "harn-gateway log migrate"/;
    const forms = FORMS_WITH_MADE_UP;
    for (const open of [() => findings(data, forms), () => openAs(forms)]) {
      const error = await open().catch((caught: unknown) => caught);
      expect(describeFailure(error)).toEqual({ exitCode: 3, message: expect.stringMatching(refused) });
    }
  });

  it('leaves the data as it is when it is already of this form, newer, or of a form without a step', async () => {
    const unchanged = await rowsUnder('c/', 'm/');
    expect(await migrate()).toEqual([{ kind: 'current', schema: SCHEMA_VERSION }]);
    const older: Forms = { current: SCHEMA_VERSION - 1, steps: [] };
    await expect(migrate({ forms: older })).rejects.toMatchObject({
      name: 'OtherSchemaError',
      isNewer: true,
    });
    const newer: Forms = { current: SCHEMA_VERSION + 1, steps: [] };
    await expect(migrate({ forms: newer })).rejects.toMatchObject({
      name: 'OtherSchemaError',
      isNewer: false,
    });
    expect(await rowsUnder('c/', 'm/')).toEqual(unchanged);
    expect(existsSync(dataPaths(data).migration)).toBe(false);
  });

  it('migrates a log without commits', async () => {
    rmSync(data, { recursive: true });
    await (await openAs(FORMS)).close();
    rmSync(dataPaths(data).checkpoint, { force: true });
    await makeUpForm(data);
    expect(await migrate()).toMatchObject([{ kind: 'migrated' }]);
    expect(await findings()).toEqual([]);
  });

  it('brings a log over whose first commits are but a signed summary, and makes the summary anew', async () => {
    rmSync(data, { recursive: true });
    const stage = await new RetentionStage(40).open();
    for (let at = 0; at < 12; at += 1) {
      const { session_id } = await stage.run(`task ${at}`);
      await stage.close({ id: session_id });
    }
    await stage.restart();
    await stage.sweepAfter(31);
    await stage.run('kept');
    const things = await readThings(stage.client);
    await stage.gateway.close();
    cpSync(stage.data, data, { recursive: true });
    await stage.open();
    await stage.end();
    const rows = await rowsUnder(...KEPT, ...DERIVED);
    expect(await opened((store) => store.get(SUMMARY_KEY) !== undefined)).toBe(true);
    expect(await opened((store) => store.get(commitKey(10)))).toBeUndefined();
    await makeUpForm(data);
    expect(await migrate()).toMatchObject([{ kind: 'migrated' }]);
    expect(await rowsUnder(...KEPT, ...DERIVED)).toEqual(rows);
    expect(await findings()).toEqual([]);
    expect(await said()).toEqual(things);
  });

  describe('interrupted', () => {
    const ACTS = [
      'write the journal',
      'make the place of the former store',
      'move the store away',
      'move the checkpoint away',
      'place the checkpoint',
      'place the store',
      'forget the journal',
    ];

    it.each(ACTS)('before it would %s, goes on with the next run', async (stop) => {
      await makeUpForm(data);
      const acts: string[] = [];
      const between = (act: string) => {
        acts.push(act);
        if (act === stop) throw new Error('killed');
      };
      await expect(migrate({ between })).rejects.toThrow('killed');
      expect(acts).toEqual(ACTS.slice(0, ACTS.indexOf(stop) + 1));
      if (stop !== 'write the journal') {
        const half = /journal\.json: says that a migration was interrupted.*Run "harn-gateway log migrate"/;
        for (const open of [() => findings(), () => openAs(FORMS)]) {
          const error = await open().catch((caught: unknown) => caught);
          expect(describeFailure(error)).toEqual({ exitCode: 3, message: expect.stringMatching(half) });
        }
      }
      expect(await migrate()).toMatchObject([{ kind: 'migrated', from: MADE_UP }]);
      expect(await findings()).toEqual([]);
      expect(await said()).toEqual(before);
    });

    it('says so where an older gateway has begun a store of its own meanwhile, and goes on without it', async () => {
      await makeUpForm(data);
      const between = (act: string) => {
        if (act === 'place the store') throw new Error('killed');
      };
      await expect(migrate({ between })).rejects.toThrow('killed');
      await (await openLevelStore({ path: dataPaths(data).store })).close();
      await expect(migrate()).rejects.toThrow(/store: was made anew.*Move it away/);
      rmSync(dataPaths(data).store, { recursive: true });
      expect(await migrate()).toMatchObject([{ kind: 'migrated', from: MADE_UP }]);
      expect(await findings()).toEqual([]);
    });

    it('by kill -9 at any line it says, goes on or begins again, and nothing is lost', async () => {
      await makeUpForm(data);
      const made = join(folder, 'made');
      cpSync(data, made, { recursive: true });
      const whole = await child().ended;
      const lines = whole.stdout.trim().split('\n');
      expect(lines.at(-1)).toBe('done');
      for (let kill = 0; kill < lines.length; kill += 7) {
        rmSync(data, { recursive: true });
        cpSync(made, data, { recursive: true });
        await killedAfter(kill);
        await migrate();
        expect(await findings(), `killed after ${lines[kill]}`).toEqual([]);
      }
      expect(await said()).toEqual(before);
    }, 120_000);
  });

  describe('of a damaged log', () => {
    it('tells the findings and changes nothing', async () => {
      await makeUpForm(data);
      const segment = await flip('e/');
      const frame = await flip('fa/');
      const rows = await rowsUnder('c/', 'e/', 'm/');
      expect(await migrate()).toEqual([
        { kind: 'finding', finding: expect.objectContaining({ problem: 'hash', where: segment }) },
        { kind: 'finding', finding: expect.objectContaining({ problem: 'hash', where: frame }) },
        { kind: 'refused' },
      ]);
      expect(await rowsUnder('c/', 'e/', 'm/')).toEqual(rows);
      expect(existsSync(dataPaths(data).migration)).toBe(false);
    });

    it('goes on with --keep-damaged: a damaged frame stays refused, and all else is as it was', async () => {
      await makeUpForm(data);
      const frame = (await flip('fa/')).replace('fa/', 'f/');
      expect(await migrate({ keepsDamaged: true })).toMatchObject([
        { kind: 'finding' },
        { kind: 'migrated' },
      ]);
      expect(await findings()).toEqual([
        { kind: 'finding', finding: expect.objectContaining({ problem: 'hash', where: frame }) },
      ]);
      const now = await said();
      const [, task] = frame.split('/');
      const kept = Object.entries(before).filter(([thing]) => !thing.startsWith(`material ${task}`));
      expect(now).toEqual(Object.fromEntries(kept));
      expect(kept.length).toBeLessThan(Object.keys(before).length);
    });

    it('goes on with --keep-damaged: what cannot be folded again is served as it was', async () => {
      const derived = await rowsUnder(...DERIVED);
      await makeUpForm(data);
      const segment = await flip('e/');
      expect(await migrate({ keepsDamaged: true })).toMatchObject([
        { kind: 'finding' },
        { kind: 'migrated' },
      ]);
      expect(await rowsUnder(...DERIVED)).toEqual(derived);
      expect(await findings()).toEqual([
        { kind: 'finding', finding: expect.objectContaining({ problem: 'hash', where: segment }) },
        { kind: 'folds_not_compared' },
      ]);
      const log = await openAs(FORMS);
      expect(() => log.event(segment.slice(2))).toThrow(expect.objectContaining({ code: 'resource_locked' }));
      await log.close();
    });

    it('is refused with --keep-damaged too where a commit record cannot be read', async () => {
      await makeUpForm(data);
      await flip('c/');
      expect(await migrate({ keepsDamaged: true })).toMatchObject([
        { kind: 'finding' },
        { kind: 'refused', cause: expect.stringMatching(/commit record cannot be read.*Restore a backup/) },
      ]);
    });

    it('is refused where its end is lost, whose event ids would be given again', async () => {
      await makeUpForm(data);
      await opened(async (store) => {
        const { n } = await newestCommitOf(store);
        await store.write([{ type: 'del', key: commitKey(n) }]);
      });
      for (const keepsDamaged of [false, true])
        await expect(migrate({ keepsDamaged })).rejects.toThrow(
          /checkpoint\.json: names commit \d+, and the log ends/,
        );
    });
  });

  it('asks for the room it needs first, and says how much is missing', async () => {
    await makeUpForm(data);
    await expect(migrate({ freeBytes: () => 1_000_000 })).rejects.toThrow(
      /needs \d+\.\d MiB; 1\.0 MiB are free.*run this again/,
    );
    expect(existsSync(dataPaths(data).migration)).toBe(false);
    expect(await migrate()).toMatchObject([{ kind: 'migrated' }]);
  });

  it('does not write over what a migration before left', async () => {
    await makeUpForm(data);
    cpSync(dataPaths(data).store, join(data, `schema-${MADE_UP}`, 'store'), { recursive: true });
    await expect(migrate()).rejects.toThrow(/is there already.*Move it away/);
  });
});

describe('the command log migrate', () => {
  it('ends with 4 beside a gateway, with 3 where no log is, and with 0 where there is nothing to do', async () => {
    const place = new GatewayPlace();
    const run = () => runProgram('log', 'migrate', '--config', place.config);
    expect(await run()).toMatchObject({ code: 3, stderr: expect.stringContaining('holds no event log') });
    const gateway = await place.start();
    expect(await run()).toMatchObject({ code: 4, stderr: expect.stringContaining('in use by process') });
    await gateway.stop();
    expect(await run()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('There is nothing to do.'),
    });
    place.remove();
  });
});
