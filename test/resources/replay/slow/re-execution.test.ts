import { describe, expect, it } from 'vitest';
import type { DecisionTools } from '#core/facts.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { loadHistory } from '#resources/replay/load-history.ts';
import type { History } from '#resources/replay/record/history.ts';
import { runOf } from '#resources/replay/record/stimuli.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { reExecute } from '#runner/replay/re-execute.ts';
import { a2aBridge } from '../../../../bridges/a2a/index.ts';
import { stageOf } from '../../../conformance/stage.ts';
import { SAMPLE_RUNS } from '../../../harness/runs.ts';

const { project } = await loadRooms();

/** Nothing but limits: whatever else a re-execution asks for is not there, and the test fails. */
const LIMITS_ONLY = { limits: { inlineBytes: 65_536 } } as DecisionTools;

async function historyOf(log: EventLog, taskId: string): Promise<History> {
  const state = log.state<CleanTaskState>(taskKeys.task(taskId));
  if (!state) throw new Error(`no task ${taskId}`);
  return (await loadHistory(log, state)).history;
}

describe('what was recorded of a run is enough to run it again', () => {
  const stage = stageOf();

  it.each(Object.entries(SAMPLE_RUNS))('%s: every event comes out byte for byte', async (_, run) => {
    const { log } = stage.gateway;
    const { id } = await run(stage.client);
    const history = await historyOf(log, id);
    const { interpret } = a2aBridge;
    const parts = { interpret, tools: LIMITS_ONLY, projection: project, seed: 'test' };
    const replayed = [...reExecute(history, parts)].flatMap((step) => step.replayed);
    expect(replayed.map((event) => JSON.stringify(event))).toEqual(
      runOf(history).map((event) => JSON.stringify(event)),
    );
  });
});
