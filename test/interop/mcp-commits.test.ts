import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ProcessGuard } from '#operation/process-guard.ts';
import type { Task } from '#resources/task/schema.ts';
import { openLevelStore } from '#store/level-store.ts';
import type { WriteOp } from '#store/store.ts';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { FaultyStore } from '../harness/faulty-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';
import { tieredMcpServer } from '../harness/tiered-mcp-server.ts';
import { bridgeDeps } from '../harness/upstream-stage.ts';

/** A call that only reads waits so long for its answer; here for ever, so that the count is the same on every machine. */
const TOGETHER_MS = 5;
const PATIENT_MS = 60_000;

const COUNTED = 4;
const SLOW_WRITE_MS = 50;

/** Whether the call of the tool `write` goes on record, and not with its answer. */
function isIntent(ops: readonly WriteOp[]): boolean {
  const texts = ops.flatMap((op) => (op.type === 'put' && op.key.startsWith('e/') ? [String(op.value)] : []));
  return texts.some((text) => text.includes('tool.requested') && text.includes('tiered__write'));
}

describe('the commits of a tool call', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-mcp-commits-'));
  let gateway: TestGateway;
  let store: FaultyStore;
  /** Calls that came to the server while what says that they are made was not durable. */
  let calledEarly = 0;
  const calls = join(folder, 'calls');
  const callsSeen = () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length : 1);

  beforeAll(async () => {
    const timers = {
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms === TOGETHER_MS ? PATIENT_MS : ms),
      clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
    };
    const row = { id: 'tiered', command: tieredMcpServer(calls), trust: true };
    gateway = await startTestGateway({
      extraClients: mcpBridge.createClients(
        [row],
        bridgeDeps({ timers, guard: new ProcessGuard({ warn: () => undefined }) }),
      ),
      openStore: async (options) => {
        const level = await openLevelStore(options);
        const write = level.write.bind(level);
        level.write = async (ops) => {
          if (isIntent(ops)) {
            const before = callsSeen();
            // The server would have been called by then.
            await sleep(SLOW_WRITE_MS);
            calledEarly += callsSeen() - before;
          }
          return write(ops);
        };
        store = new FaultyStore(level);
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
    expect(callsSeen() - 1).toBe(2 * COUNTED);
    expect(calledEarly).toBe(0);
  });
});
