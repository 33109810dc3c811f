import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { openLevelStore } from '#store/level-store.ts';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { FaultyStore } from '../harness/faulty-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { tieredMcpServer } from '../harness/tiered-mcp-server.ts';
import { bridgeDeps } from '../harness/upstream-stage.ts';
import { eventsOf, replayOf } from '../replay/runs.ts';

/** A call that only reads waits so long for its answer; here for ever, so that the count is the same on every machine. */
const TOGETHER_MS = 5;
const PATIENT_MS = 60_000;

const COUNTED = 4;

describe('the commits of a tool call', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-mcp-commits-'));
  let gateway: TestGateway;
  let store: FaultyStore;

  beforeAll(async () => {
    const timers = {
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms === TOGETHER_MS ? PATIENT_MS : ms),
      clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
    };
    const row = { id: 'tiered', command: tieredMcpServer(join(folder, 'calls')), trust: true };
    gateway = await startTestGateway({
      extraClients: mcpBridge.createClients([row], bridgeDeps({ timers })),
      openStore: async (options) => {
        store = new FaultyStore(await openLevelStore(options));
        return store;
      },
    });
    await vi.waitFor(async () => {
      const { data } = await gateway.client.get<{ data: { id: string }[] }>('/v1/skills');
      expect(data.map(({ id }) => id)).toContain('tiered__read');
    }, 20_000);
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The last of some tasks, and the fewest writes that one took: the gateway makes others of its own in between. */
  async function called(tool: string): Promise<{ task: Task; writes: number }> {
    const body = { input: { text: 'this' }, metadata: { route: `skill:tiered__${tool}` } };
    let writes = Number.POSITIVE_INFINITY;
    for (let n = 1; ; n += 1) {
      const session = await gateway.client.session();
      const before = store.calls('write');
      const { id } = await gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, body);
      const task = await gateway.client.until(id, 'COMPLETED', 'FAILED');
      writes = Math.min(writes, store.calls('write') - before);
      if (n === COUNTED) return { task, writes };
    }
  }

  it('are two where it only reads: the task, then the call with its answer', async () => {
    const { task, writes } = await called('read');
    expect(task.status).toBe('COMPLETED');
    expect(writes).toBe(2);
    const kinds = (await eventsOf(gateway.client, task.id)).map(({ event }) => event);
    expect(kinds.filter((kind) => kind.startsWith('tool.'))).toEqual(['tool.requested', 'tool.completed']);
    const replay = await replayOf(gateway.client, task.id);
    const told = (await eventsOf(gateway.client, replay.id)).find(
      ({ event }) => event === 'replay.completed',
    );
    expect(told?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  });

  it('are three where it may change something: that it is called is on record before it is', async () => {
    const { task, writes } = await called('write');
    expect(task.status).toBe('COMPLETED');
    expect(writes).toBe(3);
  });
});
