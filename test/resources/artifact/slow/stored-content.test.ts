import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import { openLevelStore } from '#store/level-store.ts';
import type { TestAnswer } from '../../../harness/client.ts';
import { FaultyStore, type StoreFault } from '../../../harness/faulty-store.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { storedIn } from '../../../harness/stored-contents.ts';

const BYTES = 'brought again and again, '.repeat(15_000);
const WORKSPACE = 'workspace_default';

/** One step of the story, told until it is served. */
async function told<Body>(
  { client, log }: TestGateway,
  key: string,
  [method, path, body]: [string, string, unknown?],
): Promise<TestAnswer<Body>> {
  const headers = {
    ...(method === 'PUT' ? { 'content-type': 'text/plain' } : { 'idempotency-key': key }),
  };
  for (;;) {
    const answer = await client.call<Body>(method, path, { body, headers });
    if (answer.status < 500) return answer;
    await expect.poll(() => log.status, { interval: 5 }).toBe('open');
  }
}

/** Two Artifacts and a Memory get the same bytes, and the Memory is forgotten. Returns the Artifacts. */
async function story(gateway: TestGateway): Promise<string[]> {
  const ids: string[] = [];
  const memory = { scope: 'workspace', owner_id: WORKSPACE, content: BYTES, provenance: { actor: 'a' } };
  const made = await told<{ id: string }>(gateway, 'memory', ['POST', '/v1/memories', memory]);
  for (const key of ['one', 'two']) {
    const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public' };
    const { body } = await told<{ id: string }>(gateway, key, ['POST', '/v1/artifacts', artifact]);
    ids.push(body.id);
    const put = await told(gateway, key, ['PUT', `/v1/artifacts/${body.id}/content`, BYTES]);
    expect(put.status, put.text).toBe(200);
    if (key === 'one') await told(gateway, 'forget', ['DELETE', `/v1/memories/${made.body.id}`]);
  }
  return ids;
}

async function storyWithFault(fault: StoreFault): Promise<boolean> {
  const data = mkdtempSync(join(tmpdir(), 'harn-content-faults-'));
  let faulty: FaultyStore | undefined;
  const start = () =>
    startTestGateway({
      data,
      openStore: async (options) => {
        const store = await openLevelStore(options);
        if (faulty !== undefined) return store;
        faulty = new FaultyStore(store, fault);
        return faulty;
      },
    });
  // The first write is made by the start itself, which may be repeated.
  const gateway = await start().catch(start);
  const ids = await story(gateway);
  for (const id of ids)
    expect((await gateway.client.call('GET', `/v1/artifacts/${id}/content`)).text).toBe(BYTES);
  expect(await storedIn(gateway.log, BYTES)).toEqual({ pieces: 2, references: 2 });
  await gateway.close();
  const findings = [];
  for await (const step of checkData(data, systemClock, systemRandom))
    if (step.kind !== 'progress') findings.push(step);
  expect(findings, JSON.stringify(fault)).toEqual([]);
  rmSync(data, { recursive: true, force: true });
  return faulty?.happened === true;
}

describe('the n-th write fails while equal bytes come and go, for every n', () => {
  it.each(['lost', 'ghost'] as const)(
    'no byte is lost and none is left over when the write is %s',
    async (write) => {
      let n = 1;
      while (await storyWithFault({ call: 'write', nth: n, write })) n += 1;
      expect(n).toBeGreaterThan(6);
    },
    120_000,
  );
});
