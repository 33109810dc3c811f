import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { State } from '#eventlog/event-log.ts';
import { GroupStaging } from '#eventlog/group-commit.ts';
import { Rehearsal } from '#eventlog/rehearsal.ts';
import { StagedTransaction } from '#eventlog/staged-transaction.ts';
import type { Session } from '#resources/session/schema.ts';
import { AskingClient } from '../harness/asking-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../harness/runs.ts';

const RUNS = ['answer', 'stream', 'file', 'refuse', 'ask', 'denied', 'cancel'] as const;

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
  return value;
}

interface Reads {
  get<S extends State>(key: string): S | undefined;
}

/** What a decision reads is frozen; a fold, run by the method `folding`, may be given what it changes. Returns what undoes it. */
function freezeReads<Name extends string>(
  { prototype }: { prototype: Reads & { [name in Name]: (event: never) => unknown } },
  folding: Name,
): () => void {
  const { get, [folding]: fold } = prototype;
  const busy = new Set<Reads>();
  const frozenGet = function (this: Reads, key: string) {
    const state = get.call(this, key);
    return busy.has(this) ? state : freeze(state);
  };
  const watched = function (this: Reads, event: never) {
    busy.add(this);
    try {
      return fold.call(this as never, event);
    } finally {
      busy.delete(this);
    }
  };
  Object.assign(prototype, { get: frozenGet, [folding]: watched });
  return () => void Object.assign(prototype, { get, [folding]: fold });
}

/** States are frozen as soon as their transaction is taken over. */
function freezePublished(published: { states: number }): () => void {
  const { merge } = GroupStaging.prototype;
  GroupStaging.prototype.merge = function frozenMerge(origin, changes) {
    for (const state of changes.states.values()) freeze(state);
    published.states += changes.states.size;
    merge.call(this, origin, changes);
  };
  return () => {
    GroupStaging.prototype.merge = merge;
  };
}

describe('states that were published', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-frozen-'));
  const published = { states: 0 };
  const undo: (() => void)[] = [];
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    undo.push(freezePublished(published));
    undo.push(freezeReads(StagedTransaction, 'append'), freezeReads(Rehearsal, 'keep'));
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      data,
      extraClients: [new AskingClient()],
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        receipts: { acceptance: true },
      },
    });
  });
  afterAll(async () => {
    await agent.close();
    for (const back of undo) back();
    rmSync(data, { recursive: true, force: true });
  });

  it('are never changed again, nor those that a decision has read, through the life of tasks and sessions', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    for (const name of RUNS) await SAMPLE_RUNS[name]?.(client, id);
    const asked = await client.submit('tool', id, { route: 'fake:asking' });
    await client.until(asked.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
    const { data: requests } = await client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?task_id=${asked.id}`,
    );
    await client.post(`/v1/permission-requests/${requests[0]?.id}/respond`, { approved: true });
    await client.until(asked.id, 'COMPLETED');
    const replay = await replayOf(client, asked.id);
    const told = (await eventsOf(client, replay.id)).find(({ event }) => event === 'replay.completed');
    expect(told?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    await client.post(`/v1/sessions/${id}/compact`, { keep_last: 3, summary: 'So far.' });
    const fork = await client.post<Session>(`/v1/sessions/${id}/fork`, {});
    await SAMPLE_RUNS['answer']?.(client, fork.id);
    await client.post(`/v1/sessions/${id}/truncate`, { keep_first: 2 });
    await SAMPLE_RUNS['answer']?.(client, id);
    await client.post(`/v1/sessions/${fork.id}/close`, {});
    expect(published.states).toBeGreaterThan(100);
    expect(gateway.logText()).not.toContain('TypeError');
    await gateway.close();
    const found: unknown[] = [];
    for await (const step of checkData(data, systemClock, systemRandom))
      if (step.kind !== 'progress') found.push(step);
    expect(found).toEqual([]);
  }, 60_000);
});
