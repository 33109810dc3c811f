import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

describe('a gateway in front of the sample agent', () => {
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

  it('runs a task durably from submission to outcome', async () => {
    const task = await gateway.client.submit('stream 3');
    const done = await gateway.client.until(task.id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    expect(events.map(({ event }) => event).filter((kind) => kind.startsWith('task.'))).toEqual([
      'task.submitted',
      'task.started',
      'task.completed',
    ]);
    expect(await gateway.client.get(`/v1/outcomes/${done.outcome_id}`)).toMatchObject({
      status: 'SUCCEEDED',
    });
  });
});
