import { describe, expect, it } from 'vitest';
import type { MoveTarget } from '#core/facts.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Move } from '#protocol-client.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { boundedMove } from '#runner/apply-moves.ts';
import { readBefore } from '#runner/frame-recorder.ts';

const LIMIT = 100;

/** A transaction that keeps what is appended; one task with this metadata. */
function scene(metadata: JsonObject) {
  const made: { event: string; payload: unknown }[] = [];
  const target = {
    tx: {
      time: '2026-01-01T00:00:00.000Z',
      get: () => undefined,
      append: (event: { event: string; payload: unknown }) => made.push(event),
      record: () => undefined,
    },
    tools: {
      limits: { inlineBytes: LIMIT },
      newId: () => `artifact_${made.length + 1}`,
      redact: (value: unknown) => ({ value, hit: false }),
    },
  } as unknown as MoveTarget;
  const resource = { id: 'task_1', session_id: 'session_1', workspace_id: 'w', branch_id: null, metadata };
  return { made, target, task: { resource } as unknown as CleanTaskState };
}

const bounded = (target: MoveTarget, task: CleanTaskState, move: Move) =>
  boundedMove(target, task, readBefore(move).value);

describe('a move of an agent', () => {
  it('keeps what fits as it is', () => {
    const { made, target, task } = scene({});
    const move = { type: 'metadata', patch: { note: 'short' } } as const;
    expect(bounded(target, task, move)).toEqual(move);
    expect(made).toEqual([]);
  });

  it('[C27] refers to an artifact when its patch is small but the task would grow past twice the limit', () => {
    const { made, target, task } = scene({ caller: 'x'.repeat(80), agent: 'y'.repeat(70) });
    const patch = { more: 'z'.repeat(40) };
    expect(bounded(target, task, { type: 'metadata', patch })).toEqual({
      type: 'metadata',
      patch: { large_metadata: { artifact_id: 'artifact_1', size: 51 } },
    });
    expect(made).toMatchObject([{ event: 'artifact.created', payload: { size: 51 } }]);
  });

  it('may say the same again as often as it likes', () => {
    const { made, target, task } = scene({ agent: 'y'.repeat(80) });
    const move = { type: 'status', to: 'WORKING', metadata: { agent: 'y'.repeat(80) } } as const;
    expect(bounded(target, task, move)).toEqual(move);
    expect(made).toEqual([]);
  });

  it('[C27] has details and failures bounded too', () => {
    const { made, target, task } = scene({});
    const large = { note: 'x'.repeat(LIMIT) };
    const reference = { large_metadata: { size: 111 } };
    const note = bounded(target, task, { type: 'note', note: 'unknown_state', details: large });
    expect(note).toMatchObject({ details: reference });
    const failure = { code: 'runtime_error', message: 'm'.repeat(10_000), details: large };
    expect(bounded(target, task, { type: 'status', to: 'FAILED', failure })).toMatchObject({
      failure: { code: 'runtime_error', message: 'm'.repeat(4_000), details: reference },
    });
    expect(made).toHaveLength(2);
  });
});
