import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import type { Frame, Move, Turn } from '#protocol-client.ts';
import { isSampled } from '#resources/replay/sample.ts';
import type { Task } from '#resources/task/schema.ts';
import { frameKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import { bind, PuppetClient, say, textOf } from '../../faults/puppet-client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { REPLAY_CHECK, readToEnd } from '../../harness/replay-checks.ts';
import { runCommand, type Said } from '../../interop/command-line.ts';

const TASKS = 12;

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  yield [say(`you said ${textOf(turn)}`)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

/** The same agent after a change of its mapping: it understands some words in another way. */
class ChangedClient extends PuppetClient {
  override interpret(frame: Frame): Move[] {
    return super
      .interpret(frame)
      .map((move) => (JSON.stringify(move).includes('other words') ? say('something else') : move));
  }
}

const start = (data: string, client: PuppetClient) =>
  startTestGateway({ data, extraClients: [client], keys: [{ actor: 'reader', scopes: ['tasks:read'] }] });

/** Changes a frame of a task behind the gateway's back, with a right seal. */
async function tamper(data: string, taskId: string): Promise<void> {
  const store = await openLevelStore({ path: dataPaths(data).store });
  const key = frameKey(taskId, 2);
  const text = unseal(store.get(key) as Buffer, key).toString();
  const changed = text.replace('"message"', '"massage"');
  expect(changed).not.toBe(text);
  await store.write([{ type: 'put', key, value: seal(changed, key) }]);
  await store.close();
}

const checked = ({ client }: TestGateway, body: object) => readToEnd(client, body);

describe('a replay check', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-replay-check-'));
  let gateway: TestGateway;
  let tasks: Task[] = [];
  const done = async (text: string) => {
    const { id } = await gateway.client.submit(text);
    return gateway.client.until(id, 'COMPLETED');
  };
  const cli = (...args: string[]): Promise<Said> =>
    runCommand(['replay', ...args, '--url', gateway.url, '--key', gateway.client.key]);
  const metrics = async () => (await gateway.client.call('GET', '/metrics')).text;

  beforeAll(async () => {
    gateway = await start(data, new PuppetClient(play));
    for (let n = 0; n < TASKS; n += 1) tasks.push(await done(`word ${n}`));
    tasks = tasks.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const replay = await gateway.client.post<Task>(`/v1/tasks/${tasks[0]?.id}/replay`, {});
    await gateway.client.until(replay.id, 'COMPLETED');
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  });

  it('is not there before the first, and /metrics has no counts of it', async () => {
    const { status, text } = await gateway.client.call('GET', REPLAY_CHECK);
    expect([status, text]).toEqual([404, expect.stringContaining('POST /v1/admin/replay-check')]);
    expect(await metrics()).not.toMatch(/^harn_replay_check_tasks\{/m);
    expect(await metrics()).toMatch(/^harn_replay_check_ended_timestamp_seconds 0$/m);
  });

  it('replays every ended task but replays, and leaves nothing in the log', async () => {
    const before = gateway.log.head.eventId;
    const { status, findings, ...check } = await checked(gateway, { sample: 1 });
    expect([status, findings]).toEqual(['COMPLETED', []]);
    expect(check.tasks).toEqual({
      sampled: TASKS,
      byte_equal: TASKS,
      diverged: 0,
      tampered: 0,
      incomplete: 0,
      failed: 0,
    });
    expect(check.ended_at).not.toBeNull();
    expect(gateway.log.head.eventId).toBe(before);
    expect(await metrics()).toMatch(
      new RegExp(`^harn_replay_check_tasks\\{outcome="byte_equal"\\} ${TASKS}$`, 'm'),
    );
    expect(await metrics()).toMatch(/^harn_replay_check_ended_timestamp_seconds 1\d{9}/m);
  });

  it('takes the same tasks each time, and others with another seed', async () => {
    const drawn = (seed: string, sample: number) => tasks.filter(({ id }) => isSampled(id, { seed, sample }));
    const seeds = Array.from({ length: 50 }, (_, at) => `seed ${at}`);
    const seed = seeds.find((name) => drawn(name, 0.5).length !== drawn('harn', 0.5).length) ?? '';
    for (const name of ['harn', seed, 'harn']) {
      const check = await checked(gateway, { sample: 0.5, seed: name });
      expect([name, check.tasks.sampled]).toEqual([name, drawn(name, 0.5).length]);
    }
  });

  it('looks at no task that ended before its time', async () => {
    const check = await checked(gateway, { sample: 1, since: new Date(Date.now() + 60_000).toISOString() });
    expect(check.tasks.sampled).toBe(0);
  });

  it('refuses a wrong request by the name of its member, and who may not', async () => {
    for (const [body, param] of [
      [{ sample: 0 }, 'sample'],
      [{ sample: 1.5 }, 'sample'],
      [{ since: 'yesterday' }, 'since'],
      [{ seed: '' }, 'seed'],
    ] as const) {
      const { status, text } = await gateway.client.call('POST', REPLAY_CHECK, { body });
      expect([status, JSON.parse(text).error.param]).toEqual([400, param]);
    }
    expect((await gateway.clients['reader']?.call('POST', REPLAY_CHECK, { body: {} }))?.status).toBe(403);
    expect((await gateway.clients['reader']?.call('GET', REPLAY_CHECK))?.status).toBe(403);
  });

  it('is there after a restart, with its metrics; a damaged record of it stops no start', async () => {
    const counts = async () =>
      (await metrics()).split('\n').filter((line) => line.startsWith('harn_replay_check_'));
    const check = await checked(gateway, { sample: 1 });
    const before = await counts();
    await gateway.close();
    gateway = await start(data, new PuppetClient(play));
    expect(await gateway.client.get(REPLAY_CHECK)).toEqual(check);
    expect(await counts()).toEqual(before);
    expect(before).toContain(`harn_replay_check_tasks{outcome="byte_equal"} ${TASKS}`);
    await gateway.close();
    const file = dataPaths(data).replayCheck;
    writeFileSync(file, readFileSync(file, 'utf8').replace('COMPLETED', 'COMPLETEE'));
    gateway = await start(data, new PuppetClient(play));
    expect((await gateway.client.call('GET', REPLAY_CHECK)).status).toBe(404);
  });

  it('from the command line prints the counts and ends with 0', async () => {
    const { code, out } = await cli('--sample', '100%', '--since', '24h');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^${TASKS} tasks replayed \\(100 % since \\S+, seed harn\\): ${TASKS} byte_equal, 0 diverged, 0 tampered, 0 incomplete, 0 failed\\n$`,
        ),
      ),
    ]);
  });

  it('from the command line says where no task was in the sample', async () => {
    const { code, out } = await cli('--sample', '0.0000001%');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^No ended task was in the sample\..*\n0 tasks replayed/),
    ]);
  });

  it.each([
    [['--sample', '0'], '--sample: a share above 0'],
    [['--sample', '101%'], '--sample: a share above 0'],
    [['--sample', '1%', '--since', 'yesterday'], '--since: minutes, hours or days ago'],
    [['task_1', '--sample', '1%'], 'leave out the task, or --sample'],
    [['--sample', '1%', '--mode', 'exact'], 'for overrides and checkpoints, name a task'],
    [['task_1', '--since', '24h'], '--since belongs to --sample'],
    [[], 'Name a task, or take a sample'],
  ])('the command line refuses %j in words', async (args, words) => {
    const { code, err } = await cli(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  it('names what diverged and what was tampered with, each with its first difference, and ends with 1', async () => {
    const odd = await done('other words');
    const forged = tasks[3]?.id ?? '';
    await gateway.close();
    await tamper(data, forged);
    gateway = await start(data, new ChangedClient(play));
    const check = await checked(gateway, { sample: 1 });
    expect(check.tasks).toMatchObject({ byte_equal: TASKS - 1, diverged: 1, tampered: 1, failed: 0 });
    expect(check.findings.map(({ task_id, outcome }) => [task_id, outcome])).toEqual([
      [forged, 'tampered'],
      [odd.id, 'diverged'],
    ]);
    const [first, second] = check.findings.map(({ verdict }) => verdict);
    expect(first).toMatchObject({ status: 'tamper_detected', where: expect.stringContaining('test:puppet') });
    expect(second).toMatchObject({ status: 'diverged', path: expect.stringMatching(/^\/\d+\/payload\//) });
    const { code, out } = await cli('--sample', '1');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^${forged} tampered at \\d+ \\(.*\\): expected .*, observed .*$`, 'm'));
    expect(out).toMatch(new RegExp(`^${odd.id} diverged at /\\d+/payload/.*: expected sha256:`, 'm'));
    const alert = await metrics();
    for (const outcome of ['diverged', 'tampered'])
      expect(alert).toMatch(new RegExp(`^harn_replay_check_tasks\\{outcome="${outcome}"\\} 1$`, 'm'));
  });
});

describe('a sample', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `task_${at}`);
  const sizeOf = (sample: number, seed = 'harn') =>
    ids.filter((id) => isSampled(id, { sample, seed })).length;

  it('has about its share of the tasks, and all of a smaller sample', () => {
    for (const share of [0.01, 0.1, 0.5])
      expect(Math.abs(sizeOf(share) / ids.length - share)).toBeLessThan(0.01);
    expect([sizeOf(1), sizeOf(0)]).toEqual([ids.length, 0]);
    for (const id of ids.filter((name) => isSampled(name, { sample: 0.01, seed: 'x' })))
      expect(isSampled(id, { sample: 0.1, seed: 'x' })).toBe(true);
  });
});
