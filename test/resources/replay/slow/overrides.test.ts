import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../../conformance/stage.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';

const FALSE_HASH = `sha256:${'0'.repeat(64)}`;
const END = { kind: 'end' };

describe('replay with overrides and from checkpoints', () => {
  const stage = stageOf();
  const run = (name: string) => (SAMPLE_RUNS[name] as (typeof SAMPLE_RUNS)[string])(stage.client);
  const refused = async (task: Task, body: unknown) => {
    const { status, body: answer } = await stage.client.call('POST', `/v1/tasks/${task.id}/replay`, { body });
    return [status, (answer as { error: { param?: string } }).error?.param];
  };
  const completed = async (task: Task) =>
    (await eventsOf(stage.client, task.id)).find(({ event }) => event === 'replay.completed')?.payload;

  it('[C15] [REPLAY-11] refuses what is wrong at the member that is wrong', async () => {
    const task = await run('stream');
    const other = await run('answer');
    const key = 'a2a:sample:1';
    const wrong: [string, unknown][] = [
      ['override', { override: { [key]: { kind: 'llm_provider_response', value: END } } }],
      ['metadata.refresh', { metadata: { refresh: ['memory'] } }],
      ['metadata.refresh', { mode: 'with_overrides', metadata: { refresh: ['weather'] } }],
      ['override.a2a:sample:99', over('a2a:sample:99', { kind: 'llm_provider_response', value: END })],
      [`override.${key}.kind`, over(key, { kind: 'mcp_tool_return', value: END })],
      [`override.${key}.value`, over(key, { kind: 'llm_provider_response' })],
      [
        `override.${key}.sha256`,
        over(key, { kind: 'llm_provider_response', value: END, sha256: FALSE_HASH }),
      ],
      [
        `override.${key}.event_id`,
        over(key, { kind: 'llm_provider_response', value: END, event_id: '00000000000000000001' }),
      ],
      [
        'override.secret:token.visibility',
        over('secret:token', { kind: 'secret_value', visibility: 'public' }),
      ],
      ['override.time:lunch', over('time:lunch', { kind: 'time', value: 'noon' })],
      ['checkpoint_id', { mode: 'from_checkpoint' }],
      ['checkpoint_id', { mode: 'from_checkpoint', checkpoint_id: `${other.id}.1` }],
      ['checkpoint_id', { mode: 'from_checkpoint', checkpoint_id: `${task.id}.99` }],
      ['checkpoint_id', { checkpoint_id: `${task.id}.1` }],
      ['checkpoint_event_id', { mode: 'from_checkpoint', checkpoint_event_id: '00000000000000000001' }],
    ];
    for (const [param, body] of wrong)
      expect(await refused(task, body), JSON.stringify(body)).toEqual([400, param]);
    expect(
      await refused(task, over(key, { kind: 'llm_provider_response', artifact_id: 'artifact_none' })),
    ).toEqual([404, `override.${key}.artifact_id`]);
  });

  it('[REPLAY-02] [REPLAY-06] puts a substitute in the place of a recorded answer, and says where the run went', async () => {
    const task = await run('stream');
    const value = { kind: 'fault', code: 'upstream_unavailable', message: 'What if it had been down?' };
    const override = { kind: 'llm_provider_response', value, visibility: 'public', reason: 'What if?' };
    const replay = await replayOf(stage.client, task.id, over('a2a:sample:2', override));
    const payload = await completed(replay);
    expect(payload?.['verdict']).toMatchObject({ status: 'diverged' });
    expect(payload?.['deltas']).toEqual([
      {
        delta_id: 'delta_1',
        operation: 'replace',
        path: '/replay_input/materials/a2a:sample:2',
        override_key: 'a2a:sample:2',
        before_sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        after_sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        reason: 'What if?',
      },
    ]);
    const told = (await eventsOf(stage.client, replay.id)).filter(
      ({ event }) => event === 'replay.event_replayed',
    );
    const failed = told.find(({ payload: { event } }) => event === 'task.failed');
    expect(failed?.['replay']).toMatchObject({ override_key: 'a2a:sample:2', receipt_delta_id: 'delta_1' });
    expect(failed?.payload).toMatchObject({ equal: false, payload: { failure: { message: value.message } } });
  });

  it('[REPLAY-12] shows the hash of what a receipt_only substitute became, and nothing else', async () => {
    const task = await run('stream');
    const value = { kind: 'fault', code: 'upstream_unavailable', message: 'plum pudding' };
    const override = {
      'a2a:sample:2': { kind: 'llm_provider_response', value },
      'secret:token': { kind: 'secret_value', value: 'plum pudding' },
    };
    const replay = await replayOf(stage.client, task.id, { mode: 'with_overrides', override });
    expect(await completed(replay)).toMatchObject({
      verdict: { status: 'diverged' },
      deltas: [{}, { path: '/secrets/token' }],
    });
    const events = await eventsOf(stage.client, replay.id);
    expect(JSON.stringify(events)).not.toContain('plum');
    expect(events.some(({ payload }) => payload['payload'] === null && payload['equal'] === false)).toBe(
      true,
    );
  });

  it('takes a substitute from an Artifact', async () => {
    const task = await run('stream');
    const draft = {
      kind: 'file',
      mime_type: 'application/json',
      visibility: 'internal',
      session_id: task.session_id,
    };
    const { id } = await stage.client.post<{ id: string }>('/v1/artifacts', draft);
    const body = JSON.stringify({ kind: 'fault', code: 'rejected', message: 'No.' });
    await stage.client.call('PUT', `/v1/artifacts/${id}/content`, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    const override = { kind: 'llm_provider_response', artifact_id: id };
    const payload = await completed(await replayOf(stage.client, task.id, over('a2a:sample:2', override)));
    expect(payload).toMatchObject({ verdict: { status: 'diverged' }, deltas: [{ artifact_id: id }] });
  });

  it('[REPLAY-09] fails, naming the answer that was never recorded, and never asks the agent for it', async () => {
    const task = await run('stream');
    const asked = stage.peer('sample').requests.length;
    const frames = (await eventsOf(stage.client, task.id)).flatMap(
      ({ payload }) => payload['material'] ?? [],
    );
    const value = { kind: 'message', body: { nothing: 'of A2A' } };
    const override = Object.fromEntries(
      [...new Set(frames)].map((key) => [
        key,
        { kind: 'llm_provider_response', value, visibility: 'public' },
      ]),
    );
    const replay = await replayOf(stage.client, task.id, { mode: 'with_overrides', override });
    expect(replay).toMatchObject({
      status: 'FAILED',
      failure: { details: { reason: 'missing_dependency' } },
    });
    const failed = (await eventsOf(stage.client, replay.id)).find(({ event }) => event === 'replay.failed');
    expect(failed?.payload['missing']).toMatchObject({
      kind: 'frame',
      id: expect.stringMatching(/^a2a:sample:\d+$/),
    });
    expect(stage.peer('sample').requests.length).toBe(asked);
  });

  it('names a long key by its head only', async () => {
    const task = await run('ask');
    const key = 'k'.repeat(20_000);
    const shown = `${'k'.repeat(200)}…`;
    for (const [kind, param] of [
      ['time', `override.${shown}.kind`],
      ['unknown', `override.${shown}.kind`],
    ]) {
      const body = { mode: 'with_overrides', override: { [key]: { kind, value: 1 } } };
      const answer = await stage.client.call('POST', `/v1/tasks/${task.id}/replay`, { body });
      expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
      expect(answer.text.length).toBeLessThan(2_000);
    }
  });

  it('goes on from any checkpoint, by its id or its event, telling only what came later', async () => {
    const task = await run('ask');
    const events = await eventsOf(stage.client, task.id);
    const checkpoints = events.filter(({ payload }) => payload['checkpoint_id'] !== undefined);
    expect(checkpoints.length).toBe(5);
    for (const [at, { id, payload }] of checkpoints.entries()) {
      const named = at % 2 === 0 ? { checkpoint_id: payload['checkpoint_id'] } : { checkpoint_event_id: id };
      const replay = await replayOf(stage.client, task.id, { mode: 'from_checkpoint', ...named });
      expect(await completed(replay)).toMatchObject({ verdict: { status: 'byte_equal' } });
      const told = (await eventsOf(stage.client, replay.id)).filter(
        ({ event }) => event === 'replay.event_replayed',
      );
      expect(
        told.map(({ replay: metadata }) => (metadata as { original_event_id: string }).original_event_id),
      ).toEqual(
        events
          .filter((event) => event.id > id && !event.event.startsWith('receipt.'))
          .map((event) => event.id),
      );
    }
  });

  it('[REPLAY-05] lets new facts in only when asked, and records that it did', async () => {
    const task = await run('answer');
    expect(await completed(await replayOf(stage.client, task.id))).toMatchObject({ deltas: [] });
    const body = { mode: 'with_overrides', metadata: { refresh: ['host_facts', 'memory'] } };
    const replay = await replayOf(stage.client, task.id, body);
    expect((await completed(replay))?.['deltas']).toMatchObject([
      { path: '/refresh/memory', operation: 'replace', after_sha256: expect.stringMatching(/^sha256:/) },
      { path: '/refresh/host_facts' },
    ]);
  });
});

function over(key: string, override: unknown) {
  return { mode: 'with_overrides', override: { [key]: override } };
}
