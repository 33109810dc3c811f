import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

/** Tasks before the one that is looked at: rows that several tasks share are there. */
const BEFORE = 2;

const LEFT = ['f', 'i', 'l/task/w', 'r/message', 'r/message', 'r/receipt', 'r/task', 'rc', 'tl', 'x/outcome'];

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
    const kinds = left.map((key) => /^(?:[rx]\/[^/]+|l\/[^/]+\/[^/]{1,2}(?=\/)|[^/]+)/.exec(key)?.[0]).sort();
    // Commit records, events and their streams are those of the log, which its own tests count.
    expect(kinds.filter((kind) => !/^(?:c|e|es|et)$/.test(kind ?? ''))).toEqual(LEFT);
  });
});
