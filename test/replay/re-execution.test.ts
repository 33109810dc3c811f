import { describe, expect, it } from 'vitest';
import { a2aBridge } from '../../bridges/a2a/index.ts';
import type { DecisionTools } from '../../src/dispatch/facts.ts';
import { loadHistory } from '../../src/dispatch/replay/load-history.ts';
import { reExecute } from '../../src/dispatch/replay/re-execute.ts';
import type { EventLog } from '../../src/eventlog/event-log.ts';
import { project } from '../../src/projections/projection.ts';
import type { TaskState } from '../../src/projections/read-states.ts';
import { stateKey } from '../../src/projections/state-keys.ts';
import type { History } from '../../src/replay/history.ts';
import { runOf } from '../../src/replay/stimuli.ts';
import { stageOf } from '../conformance/stage.ts';
import { SAMPLE_RUNS } from './runs.ts';

/** Nothing but limits: whatever else a re-execution asks for is not there, and the test fails. */
const LIMITS_ONLY = { limits: { inlineBytes: 65_536 } } as DecisionTools;

async function historyOf(log: EventLog, taskId: string): Promise<History> {
  const state = log.state<TaskState>(stateKey.task(taskId));
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
