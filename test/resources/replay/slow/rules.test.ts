import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CURRENT_RULES, RULES } from '#protocol/rules.ts';
import { loadHistory } from '#resources/replay/load-history.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { recoverTask } from '#runner/recover.ts';
import { stageOf } from '../../../conformance/stage.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { playRulesRun, RULES_RUNS, type RulesRun, startRulesAgents } from '../../../harness/rules-history.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';
import { placeRecordedStore, RECORDED } from './recorded-store.ts';

/** How the runs ended under each number; written by hand. */
const ENDS: Record<keyof typeof RULES, Record<RulesRun, { kinds: string; code?: string }>> = {
  1: {
    standing: {
      kinds: 'submitted started input_required status_changed input_required status_changed completed',
    },
    paused: { kinds: 'submitted started failed', code: 'upstream_unavailable' },
  },
  2: {
    standing: { kinds: 'submitted started input_required status_changed completed' },
    paused: { kinds: 'submitted started completed' },
  },
};

const NUMBERS = Object.keys(RULES).map(Number) as (keyof typeof RULES)[];
const folderOf = (number: number) => new URL(`rules-${number}/`, RECORDED);

async function kindsOf(gateway: TestGateway, taskId: string): Promise<string> {
  const events = await eventsOf(gateway.client, taskId);
  const kinds = events.flatMap(({ event }) =>
    event.startsWith('task.') ? [event.slice('task.'.length)] : [],
  );
  return kinds.join(' ');
}

describe.each(NUMBERS)('a history recorded under rules %i', (number) => {
  const data = mkdtempSync(join(tmpdir(), `harn-rules-${number}-`));
  const tasks: Record<RulesRun, string> = JSON.parse(
    readFileSync(new URL('tasks.json', folderOf(number)), 'utf8'),
  );
  let gateway: TestGateway;

  beforeAll(async () => {
    await placeRecordedStore(data, folderOf(number));
    gateway = await startTestGateway({ data });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  });

  it.each(RULES_RUNS)('%s: says its number, and replays byte_equal under it', async (run) => {
    const id = tasks[run];
    const { kinds, code } = ENDS[number][run];
    expect(await kindsOf(gateway, id)).toBe(kinds);
    const { failure } = await gateway.client.get<{ failure: { code: string } | null }>(`/v1/tasks/${id}`);
    expect(failure?.code).toBe(code);
    const [submitted] = await eventsOf(gateway.client, id);
    expect(submitted?.payload['rules']).toBe(number === 1 ? undefined : number);
    const replay = await replayOf(gateway.client, id);
    const completed = (await eventsOf(gateway.client, replay.id)).find(
      ({ event }) => event === 'replay.completed',
    );
    expect(completed?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  });
});

describe('the number of the rules', () => {
  const stage = stageOf();
  const plain = SAMPLE_RUNS['answer'] as (typeof SAMPLE_RUNS)[string];

  async function stateOf(rules?: number): Promise<CleanTaskState> {
    const { id } = await plain(stage.client);
    const state = stage.gateway.log.state<CleanTaskState>(taskKeys.task(id));
    if (!state) throw new Error(`no task ${id}`);
    return rules === undefined ? state : { ...state, internal: { ...state.internal, rules } };
  }

  it('has a golden for each', () => {
    for (const number of NUMBERS) expect(existsSync(folderOf(number)), `rules-${number}`).toBe(true);
  });

  it('is the current one for every new task, a replay too', async () => {
    const source = await plain(stage.client);
    const replay = await replayOf(stage.client, source.id);
    for (const { id } of [source, replay]) {
      const [submitted] = await eventsOf(stage.client, id);
      expect(submitted?.payload['rules']).toBe(CURRENT_RULES);
    }
  });

  it('names what is missing for the replay of a run by rules that only a newer gateway knows', async () => {
    const { missing } = await loadHistory(stage.gateway.log, await stateOf(99));
    expect(missing).toEqual({ kind: 'host_fact', id: 'host:rules:99' });
    expect((await loadHistory(stage.gateway.log, await stateOf())).missing).toBeUndefined();
  });

  it('of a newer gateway fails an open task, saying so, instead of going on by other rules', async () => {
    const { resource, internal } = await stateOf(99);
    const open = { resource: { ...resource, status: 'WORKING' as const }, internal };
    expect(recoverTask(open, { routeExists: true, waitsInTurn: false })).toMatchObject({
      kind: 'fail',
      failure: {
        message: expect.stringContaining('newer version'),
        details: { reason: 'rules_unknown', rules: 99 },
      },
    });
  });
});

describe('the recorded agents, played now', () => {
  it.each(RULES_RUNS)('%s: ends as the rules of today say', async (run) => {
    const agents = await startRulesAgents();
    const gateway = await startTestGateway({ config: { upstreams: { a2a: agents.rows } } });
    try {
      const { id } = await playRulesRun(gateway.client, run);
      expect(await kindsOf(gateway, id)).toBe(ENDS[CURRENT_RULES][run].kinds);
    } finally {
      await gateway.close();
      await agents.close();
    }
  });
});
