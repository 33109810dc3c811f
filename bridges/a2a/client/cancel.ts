import type { Frame } from '#upstream.ts';
import { Fault } from './faults.ts';
import type { TurnRun } from './turn-run.ts';

const UNTOLD = 'The agent neither canceled the task nor told its state.';

/** Asks the agent to cancel. When it cannot any more, the task says why: it is over. Throws Fault. */
export async function* cancelTask(run: TurnRun): AsyncGenerator<Frame> {
  const { taskId } = run.progress;
  if (taskId === undefined) return;
  let isRefused = false;
  for await (const { record, reading } of run.ask({ operation: 'CancelTask', taskId })) {
    isRefused = reading.kind === 'error';
    yield run.take(record, reading);
  }
  if (!isRefused) return;
  for await (const { record, reading } of run.ask({ operation: 'GetTask', taskId })) {
    if (reading.kind === 'error') throw new Fault('upstream_unavailable', UNTOLD);
    yield run.take(record, reading);
  }
}
