import { afterAll, describe, expect, it } from 'vitest';
import type { Halt } from '#resources/halt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { taskFrame } from '../harness/a2a-words.ts';
import { userText } from '../harness/client.ts';
import { stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

/** Milliseconds after which the gateway is killed, from the moment at which the halt is asked for; undefined: after its answer. */
const KILLED_AFTER_MS = [3, 15, undefined];
/** What ends a task. */
const ENDS = ['task.completed', 'task.failed', 'task.canceled'];

afterAll(killChildren);

describe('SIGKILL while an agent is halted', () => {
  it('leaves a halt that was never placed or one that holds, and one end of each task that it stopped', async () => {
    const agent = await startScriptedAgent({
      SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }),
    });
    const place = new GatewayPlace({ upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } });
    try {
      for (const afterMs of KILLED_AFTER_MS) {
        const first = await place.start();
        const { client } = first;
        const session = (await client.session()).id;
        const tasks = [
          await client.submit('go', session, { route: 'a2a:shop' }),
          await client.submit('then', session, { route: 'a2a:shop' }),
        ];
        await client.until(tasks[0]?.id ?? '', 'WORKING');
        const body = { route: 'a2a:shop', reason: 'It loops.' };
        const asked = client.call('POST', '/v1/admin/halts', { body });
        asked.catch(() => undefined);
        await (afterMs === undefined ? asked : new Promise((resolve) => setTimeout(resolve, afterMs)));
        await first.kill();

        const again = (await place.start()).client;
        const inForce = async () => (await again.get<{ data: Halt[] }>('/v1/admin/halts')).data;
        const isDurable = (await inForce()).length === 1;
        if (afterMs === undefined) expect(isDurable).toBe(true);
        // Its agent knows nothing of the task any more, so a task that nobody halted may have failed for that.
        if (!isDurable) await again.post('/v1/admin/halts', body);
        const [halt] = await inForce();
        for (const { id } of tasks) {
          const task = await again.until(id, 'FAILED', 'COMPLETED', 'CANCELED');
          expect(task.status).toBe('FAILED');
          if (isDurable) expect(task.failure?.details).toMatchObject({ halt_id: halt?.id });
        }
        const refused = await again.call('POST', `/v1/sessions/${session}/tasks`, {
          body: { input: userText('go'), metadata: { route: 'a2a:shop' } },
        });
        expect(refused.status).toBe(422);
        await again.post(`/v1/admin/halts/${halt?.id}/release`);
        for (const { id } of tasks) {
          const events = await again.events(`/v1/tasks/${id}/events`);
          expect(events.map(({ event }) => event).filter((event) => ENDS.includes(event))).toEqual([
            'task.failed',
          ]);
          expect((await again.get<Task>(`/v1/tasks/${id}`)).status).toBe('FAILED');
        }
        await killChildren();
      }
      expect((await place.check()).code).toBe(0);
    } finally {
      await killChildren();
      await agent.close();
      place.remove();
    }
  }, 180_000);
});
