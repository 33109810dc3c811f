import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';

/** Tasks before the one that is looked at: rows that several tasks share are there. */
const BEFORE = 2;

/** Kinds of rows, and how many of each one task leaves; written by hand. */
const LEFT = {
  c: 2,
  e: 2,
  es: 2,
  et: 2,
  f: 1,
  i: 1,
  'l/task/w': 1,
  'r/message': 2,
  'r/receipt': 1,
  'r/task': 1,
  rc: 1,
  tl: 1,
  'x/outcome': 1,
};

function kindOf(key: string): string {
  return /^(?:[rx]\/[^/]+|l\/[^/]+\/[^/]{1,2}(?=\/)|[^/]+)/.exec(key)?.[0] ?? key;
}

/** The table of src/store/README.md, by kind. */
function documented(): Record<string, number> {
  const text = readFileSync(new URL('../../../src/store/README.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)` +\| (\d+) +\|/gm)];
  return Object.fromEntries(rows.map(([, key = '', count]) => [kindOf(key), Number(count)]));
}

describe('the rows that one task leaves in a session', () => {
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  const keys = () => gateway.log.indexKeys({ gt: ' ', lt: '~', limit: 10_000 });
  const run = async (sessionId: string, key: string) => {
    const { client } = gateway;
    const body = { input: { role: 'user', parts: [{ type: 'text', text: 'hello', visibility: 'public' }] } };
    const { id } = await client.post<{ id: string }>(`/v1/sessions/${sessionId}/tasks`, body, key);
    await client.until(id, 'COMPLETED');
  };

  it('are those of the table in src/store/README.md, and no more', async () => {
    const { id } = await gateway.client.session();
    for (let n = 0; n < BEFORE; n += 1) await run(id, `before-${n}`);
    const before = new Set(await keys());
    await run(id, 'counted');
    const left = (await keys()).filter((key) => !before.has(key));
    const counts: Record<string, number> = {};
    for (const kind of left.map(kindOf)) counts[kind] = (counts[kind] ?? 0) + 1;
    expect(counts).toEqual(LEFT);
    expect(documented()).toEqual(LEFT);
  });
});
