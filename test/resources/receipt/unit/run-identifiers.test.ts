import { describe, expect, it } from 'vitest';
import type { StateReader } from '#eventlog/event-log.ts';
import { identifiersOf } from '#resources/receipt/run-record.ts';
import type { CleanTaskState } from '#resources/task/state.ts';

const nothing: Pick<StateReader, 'get'> = { get: () => undefined };

function stored(branch_id: string | null): CleanTaskState {
  const resource = { id: 'task_1', session_id: 'session_1', workspace_id: 'workspace_1', branch_id };
  return { resource, internal: { trace_id: null } } as unknown as CleanTaskState;
}

describe('what a receipt calls its run', () => {
  it.each([
    ['', null],
    [null, null],
    ['branch_1', 'branch_1'],
  ])('takes the branch_id %j of a stored task for %j: a receipt has no empty ids', (given, said) => {
    expect(identifiersOf(nothing as StateReader, stored(given), null).branchId).toBe(said);
  });
});
