import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'] as const;

describe('a gateway that starts again', () => {
  const script: Record<string, Answer> = {};
  const directories: string[] = [];
  const running: TestGateway[] = [];
  let sample: Peer;
  let scripted: Peer;
  let data = '';

  const directory = () => {
    const made = mkdtempSync(join(tmpdir(), 'harn-recovery-'));
    directories.push(made);
    return made;
  };
  const start = async (where = data, agents = ['sample', 'scripted']) => {
    const rows = [
      { id: 'sample', card: sample.cardUrl },
      { id: 'scripted', card: scripted.cardUrl },
    ];
    const a2a = rows.filter(({ id }) => agents.includes(id));
    const config = { upstreams: { a2a }, routing: { default: 'a2a:sample' } };
    const gateway = await startTestGateway({ data: where, config });
    running.push(gateway);
    return gateway;
  };
  const stop = async (gateway: TestGateway) => {
    running.splice(running.indexOf(gateway), 1);
    await gateway.close();
  };
  /** What a power cut would leave: the files as they are, while the gateway runs. */
  const imageOf = (gateway: TestGateway) => {
    const copy = directory();
    cpSync(gateway.data, copy, { recursive: true });
    return copy;
  };
  const bound = (client: TestClient, task: Task) =>
    expect
      .poll(async () => (await client.events(`/v1/tasks/${task.id}/events`)).map(({ event }) => event))
      .toContain('vendor.harn_gateway.upstream_bound');

  beforeEach(async () => {
    data = directory();
    sample = await startSampleAgent();
    scripted = await startScriptedAgent(script);
  });
  afterEach(async () => {
    try {
      for (const gateway of running) expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    } finally {
      for (const gateway of [...running]) await stop(gateway);
      await sample.close();
      await scripted.close();
      for (const made of directories.splice(0)) rmSync(made, { recursive: true, force: true });
    }
  });

  it('[CORE-RES-07] reads what ended before as it was, byte for byte', async () => {
    const first = await start();
    const task = await first.client.submit('stream 3');
    const done = await first.client.until(task.id, 'COMPLETED');
    const paths = [
      `/v1/tasks/${task.id}`,
      `/v1/sessions/${task.session_id}`,
      `/v1/sessions/${task.session_id}/messages`,
      `/v1/tasks/${task.id}/events`,
      `/v1/outcomes/${done.outcome_id}`,
      `/v1/artifacts?task_id=${task.id}`,
    ];
    const read = (gateway: TestGateway) =>
      Promise.all(paths.map(async (path) => (await gateway.client.call('GET', path)).text));
    const before = await read(first);
    await stop(first);
    expect(await read(await start())).toEqual(before);
  });

  it('[CORE-RES-08] takes up what worked, waited and was blocked, after a stop as after a crash', async () => {
    const first = await start();
    const session = (await first.client.session()).id;
    const asking = await first.client.submit('ask');
    await first.client.until(asking.id, 'INPUT_REQUIRED');
    const working = await first.client.submit('slow 1', session);
    await bound(first.client, working);
    const queued = [1, 2].map((n) => first.client.submit(`hello queued ${n} ${SECRET}`, session));
    const waiting = await Promise.all(queued);
    const image = imageOf(first);
    await stop(first);
    for (const where of [image, data]) {
      const again = await start(where);
      expect(await again.client.get(`/v1/tasks/${asking.id}`)).toMatchObject({ status: 'INPUT_REQUIRED' });
      for (const task of [working, ...waiting]) {
        const found = await again.client.until(task.id, ...ENDED);
        expect([where, found.status]).toEqual([where, 'COMPLETED']);
      }
      await stop(again);
    }
    const sent = sample.requests.filter(({ body }) => body.includes('hello queued'));
    expect(sent.map(({ body }) => body.includes(SECRET))).toEqual(sent.map(() => true));
  });

  it('[CORE-RES-08] goes on with a blocked task when it is answered', async () => {
    const first = await start();
    const asking = await first.client.submit('ask');
    await first.client.until(asking.id, 'INPUT_REQUIRED');
    await stop(first);
    const again = await start();
    await again.client.answer(asking.id, 'blue');
    await again.client.until(asking.id, 'COMPLETED');
    const sent = sample.requests.filter(({ operation }) => operation === 'SendStreamingMessage');
    expect(sent.length).toBe(2);
  });

  it('[CORE-RES-08] sends nothing twice: what may have reached the agent without an answer fails and says so', async () => {
    script['SendStreamingMessage'] = () => stream({ hang: true });
    const first = await start();
    const task = await first.client.submit('once', undefined, { route: 'a2a:scripted' });
    await scripted.arrived('SendStreamingMessage');
    const image = imageOf(first);
    await stop(first);
    const again = await start(image);
    expect(await again.client.until(task.id, 'FAILED')).toMatchObject({
      failure: { code: 'runtime_error', details: { reason: 'harness_restarted' } },
    });
    expect(scripted.requests.filter(({ body }) => body.includes('once')).length).toBe(1);
  });

  it('[CORE-RES-08] fails the tasks of a route that is gone, and says why', async () => {
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), { hang: true });
    const first = await start();
    const session = (await first.client.session({ route: 'a2a:scripted' })).id;
    const working = await first.client.submit('work', session);
    await bound(first.client, working);
    const queued = await first.client.submit('wait', session);
    await stop(first);
    const again = await start(data, ['sample']);
    for (const task of [working, queued]) {
      expect(await again.client.until(task.id, 'FAILED')).toMatchObject({
        failure: { details: { reason: 'route_removed', route: 'a2a:scripted' } },
      });
    }
    const later = await again.client.submit('hello', session);
    expect(later.assigned_agent_id).toBe('a2a:sample');
  });

  it('[CORE-RES-07] keeps a task that was accepted in the very moment of the crash', async () => {
    const first = await start();
    const session = (await first.client.session()).id;
    const accepted = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => first.client.submit(`hello ${n}`, session)),
    );
    const again = await start(imageOf(first));
    for (const { id } of accepted) await again.client.until(id, ...ENDED);
  });
});
