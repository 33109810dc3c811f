import { describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startHarnServeAgent } from '../harness/peers/harn-serve-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';

interface Sent {
  messageId: string;
  contextId?: string;
  taskId?: string;
}

describe('what a session is to an agent', () => {
  const stage = stageOf({ agents: { older: startAgent03, harn: startHarnServeAgent } });
  const sentTo = (peer: Peer): Sent[] =>
    peer.requests
      .filter(({ operation }) =>
        ['SendStreamingMessage', 'message/stream', 'message/send'].includes(operation),
      )
      .map(({ body }) => (JSON.parse(body) as { params: { message: Sent } }).params.message);

  it.each(['sample', 'older', 'harn'])(
    '%s: the tasks of one session share a context, those of two do not',
    async (id) => {
      const route = `a2a:${id}`;
      const one = (await stage.client.session({ route })).id;
      const two = (await stage.client.session({ route })).id;
      for (const session of [one, one, two]) {
        const task = await stage.client.submit('some text', session);
        await stage.client.until(task.id, 'COMPLETED');
      }
      const [first, second, third] = sentTo(stage.peer(id));
      expect(first?.contextId).toBeUndefined();
      expect(second?.contextId).toMatch(/./);
      expect(second?.taskId).toBeUndefined();
      expect(third?.contextId).toBeUndefined();
    },
  );

  it.each(['sample', 'older', 'harn'])("%s: gets the id of the client's message unchanged", async (id) => {
    const task = await stage.client.submit('another text', undefined, { route: `a2a:${id}` });
    await stage.client.until(task.id, 'COMPLETED');
    expect(sentTo(stage.peer(id)).at(-1)?.messageId).toBe(task.input['id']);
  });

  it.each([
    ['some text', 'COMPLETED'],
    ['fail', 'FAILED'],
  ] as const)('[CORE-LIFE-01] harn serve: "%s" ends %s', async (text, status) => {
    const task = await stage.client.submit(text, undefined, { route: 'a2a:harn' });
    expect((await stage.client.until(task.id, 'COMPLETED', 'FAILED')).status).toBe(status);
  });

  it('[CORE-LIFE-05] harn serve: a question is answered, slow work is canceled', async () => {
    const route = 'a2a:harn';
    const asking = await stage.client.submit('ask', undefined, { route });
    await stage.client.until(asking.id, 'INPUT_REQUIRED');
    await stage.client.answer(asking.id, 'this one');
    await stage.client.until(asking.id, 'COMPLETED');
    const slow = await stage.client.submit('slow', undefined, { route });
    const kinds = async () =>
      (await stage.client.events(`/v1/tasks/${slow.id}/events`)).map(({ event }) => event);
    await expect.poll(kinds).toContain('vendor.harn_gateway.upstream_bound');
    expect(await stage.client.post(`/v1/tasks/${slow.id}/cancel`)).toMatchObject({ status: 'CANCELED' });
    await stage.peer('harn').arrived('tasks/cancel');
  });
});
