import { randomBytes, randomUUID } from 'node:crypto';
import { lookup } from 'node:dns';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { DecisionTools } from '#core/facts.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { prepareReplay } from '#runner/replay/prepare-replay.ts';
import { type ReplayEnd, replayedEvents } from '#runner/replay/replayed-events.ts';
import { a2aBridge } from '../../../../bridges/a2a/index.ts';
import { stageOf } from '../../../conformance/stage.ts';
import { replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';
import { poisoned } from './poisoned.ts';

const { project } = await loadRooms();

const LIMITS_ONLY = { limits: { inlineBytes: 65_536 } } as DecisionTools;

describe('a replay asks nothing but the log', () => {
  const stage = stageOf();

  it.each(Object.entries(SAMPLE_RUNS))(
    '%s is byte_equal while clock, chance, timers, network and files throw',
    async (_, run) => {
      const { log } = stage.gateway;
      const replay = await replayOf(stage.client, (await run(stage.client)).id);
      const preparation = await prepareReplay(
        log,
        log.state<CleanTaskState>(taskKeys.task(replay.id)) as CleanTaskState,
      );
      if (preparation.status !== 'ready') throw new Error(preparation.status);
      const { interpret } = a2aBridge;
      const parts = { interpret, tools: LIMITS_ONLY, projection: project, seed: 'test' };
      const end = poisoned((): ReplayEnd => {
        const events = replayedEvents(preparation.prepared, parts);
        for (let next = events.next(); ; next = events.next()) if (next.done) return next.value;
      });
      expect(end.verdict).toMatchObject({ status: 'byte_equal' });
      expect(end.missing).toBeUndefined();
    },
  );

  it('the poison works, also on what was imported before, and leaves nothing behind', () => {
    const ways: Record<string, () => unknown> = {
      'Date.now': () => Date.now(),
      'new Date': () => new Date(),
      'Math.random': () => Math.random(),
      'performance.now': () => performance.now(),
      randomBytes: () => randomBytes(8),
      randomUUID: () => randomUUID(),
      setTimeout: () => setTimeout(() => undefined, 1),
      fetch: () => fetch('http://127.0.0.1:9/'),
      connect: () => connect(9, '127.0.0.1'),
      lookup: () => lookup('localhost', () => undefined),
      request: () => request('http://127.0.0.1:9/'),
    };
    const working = poisoned(() => Object.keys(ways).filter((name) => !throwsRefusal(ways[name])));
    expect(working).toEqual([]);
    expect(poisoned(() => new Date('2026-01-01T00:00:00Z').toISOString())).toBe('2026-01-01T00:00:00.000Z');
    expect([Date.now(), Math.random(), randomBytes(1).length]).toEqual([
      expect.any(Number),
      expect.any(Number),
      1,
    ]);
  });
});

function throwsRefusal(way: (() => unknown) | undefined): boolean {
  try {
    way?.();
    return false;
  } catch (error) {
    return error instanceof Error && error.message.startsWith('a replay asked for ');
  }
}
