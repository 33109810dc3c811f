import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import type { Task } from '#resources/task/schema.ts';
import { frameKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import type { Peer } from '../../../harness/peers/peer.ts';
import { startSampleAgent } from '../../../harness/peers/sample-agent.ts';
import { eventsOf } from '../../../harness/runs.ts';
import { runCommand, type Said } from '../../../interop/command-line.ts';

const HASH = 'sha256:[0-9a-f]{64}';

describe('command line: replay', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-cli-replay-'));
  let agent: Peer;
  let gateway: TestGateway;
  let task: Task;
  let tampered: Task;

  beforeAll(async () => {
    agent = await startSampleAgent();
    const config = { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } };
    const before = await startTestGateway({ data, config });
    const ended = async () => before.client.until((await before.client.submit('stream 3')).id, 'COMPLETED');
    task = await ended();
    tampered = await ended();
    await before.close();
    const store = await openLevelStore({ path: dataPaths(data).store });
    const key = frameKey(tampered.id, 2);
    const text = unseal(store.get(key) as Buffer, key).toString();
    await store.write([{ type: 'put', key, value: seal(text.replace('"message"', '"massage"'), key) }]);
    await store.close();
    gateway = await startTestGateway({ data, config });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    rmSync(data, { recursive: true, force: true });
  });

  const run = (...args: string[]): Promise<Said> =>
    runCommand(['replay', ...args, '--url', gateway.url, '--key', gateway.client.key]);

  function overrides(text: string): string {
    const file = join(data, 'override.json');
    writeFileSync(file, text);
    return file;
  }

  it('names the replay task, prints byte_equal with the hash of the record, and ends with 0', async () => {
    const { code, out } = await run(task.id);
    const [first, last] = out.trimEnd().split('\n');
    expect(first).toMatch(new RegExp(`^task_\\w+ (SUBMITTED|WORKING) replays ${task.id}$`));
    expect(last).toMatch(new RegExp(`^byte_equal: \\d+ events, record hash ${HASH}$`));
    expect(code).toBe(0);
  });

  it('with --json the end of the replay alone is on standard output', async () => {
    const { code, out, err } = await run(task.id, '--mode', 'exact', '--json');
    expect(JSON.parse(out)).toMatchObject({
      source_task_id: task.id,
      verdict: { status: 'byte_equal' },
      deltas: [],
    });
    expect([code, err]).toEqual([0, expect.stringContaining(`replays ${task.id}`)]);
  });

  it('with overrides it prints where the run diverged, with both hashes, and ends with 1', async () => {
    const value = { kind: 'fault', code: 'upstream_unavailable', message: 'What if?' };
    const file = overrides(JSON.stringify({ 'a2a:sample:2': { kind: 'llm_provider_response', value } }));
    const { code, out } = await run(task.id, '--override', file);
    expect(out).toMatch(new RegExp(`^diverged at /\\S+: expected ${HASH}, observed ${HASH}$`, 'm'));
    expect(code).toBe(1);
  });

  it('a divergence is told in words: what became what, and how it ended instead', async () => {
    const fault = { kind: 'fault', code: 'upstream_unavailable', message: 'What if?' };
    const early = overrides(
      JSON.stringify({ 'a2a:sample:2': { kind: 'llm_provider_response', value: fault } }),
    );
    const lines = (await run(task.id, '--override', early)).out.trimEnd().split('\n');
    expect(lines.slice(-2)).toEqual([
      'artifact.created became span.failed.',
      'At the end task.completed became task.failed.',
    ]);
    const keys = (await run(task.id, '--list-overrides', '--json')).out.trimEnd().split('\n');
    const last = (JSON.parse(keys.at(-1) ?? '') as { key: string }).key;
    const late = overrides(JSON.stringify({ [last]: { kind: 'llm_provider_response', value: fault } }));
    const { out } = await run(task.id, '--override', late);
    expect(out).toMatch(/\n(\S+\.\S+ became \S+\.\nAt the end )?task\.completed became task\.failed\.\n$/);
    const { out: json } = await run(task.id, '--override', late, '--json');
    expect(JSON.parse(json)).toMatchObject({ verdict: { status: 'diverged' } });
  });

  it('--list-overrides prints the keys that an override may name, and runs nothing', async () => {
    const before = (await gateway.client.get<{ data: unknown[] }>('/v1/tasks?limit=200')).data.length;
    const { code, out } = await run(task.id, '--list-overrides');
    const [headings, ...rows] = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect([code, headings]).toEqual([0, ['KEY', 'KIND', 'SHA256']]);
    expect(rows.map(([key]) => key)).toContain('a2a:sample:2');
    for (const row of rows)
      expect(row).toEqual([
        expect.stringMatching(/^a2a:sample:\d+$/),
        'llm_provider_response',
        expect.stringMatching(new RegExp(`^${HASH}$`)),
      ]);
    expect((await gateway.client.get<{ data: unknown[] }>('/v1/tasks?limit=200')).data.length).toBe(before);
    expect(await run('task_none', '--list-overrides')).toMatchObject({ code: 1, out: '' });
  });

  it('--list-overrides prints every key of a run whose receipt is too short to list them', async () => {
    const { id } = await gateway.client.submit('stream 40');
    await gateway.client.until(id, 'COMPLETED');
    const { code, out } = await run(id, '--list-overrides', '--json');
    const keys = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { key: string }).key);
    expect([code, keys.length > 40, new Set(keys).size]).toEqual([0, true, keys.length]);
    const value = { kind: 'fault', code: 'upstream_unavailable', message: 'What if?' };
    const last = overrides(JSON.stringify({ [keys.at(-2) ?? '']: { kind: 'llm_provider_response', value } }));
    expect((await run(id, '--override', last)).out).toContain('diverged at ');
  });

  it('a changed history is tamper_detected with place, expected and observed, and ends with 1', async () => {
    const { code, out } = await run(tampered.id);
    expect(out).toMatch(
      new RegExp(`^tamper_detected at \\d+ \\(a2a:sample:2\\): expected ${HASH}, observed ${HASH}$`, 'm'),
    );
    expect(code).toBe(1);
  });

  it('goes on from a checkpoint by its id, and by its event', async () => {
    const events = await eventsOf(gateway.client, task.id);
    const { id, payload } = events.filter((event) => 'checkpoint_id' in event.payload)[1] ?? events[0] ?? {};
    for (const checkpoint of [String(payload?.['checkpoint_id']), String(id)])
      expect(await run(task.id, '--checkpoint', checkpoint)).toMatchObject({
        code: 0,
        out: expect.stringContaining('byte_equal'),
      });
  });

  it('says what the gateway says of a task that is not there, and ends with 1', async () => {
    const { code, out, err } = await run('task_none');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('(resource_not_found)');
  });

  it.each([
    [['task_1', '--mode', 'backwards']],
    [['task_1', '--mode', 'from_checkpoint']],
    [['task_1', '--mode', 'exact', '--checkpoint', 'task_1.1']],
    [['task_1', '--mode', 'exact', '--override', 'file.json']],
    [['task_1', '--override', 'no-such-file.json']],
    [[]],
  ])('wrong usage ends with 2: %j', async (args) => {
    expect(await run(...args)).toMatchObject({ code: 2, out: '' });
  });

  it('an override file that is no JSON is wrong usage, and named', async () => {
    const file = overrides('{not json');
    expect(await run(task.id, '--override', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining(file),
    });
  });
});
