import { describe, expect, it } from 'vitest';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';

const { kept } = keeper();

describe('an artifact of an A2A agent', () => {
  it('that replaces another with the same secret and half a character is replayed as it was', async () => {
    const metadata = { half: 'x\ud800y', note: `npm_${'aB3'.repeat(12)}` };
    const replaced = (text: string) => ({
      result: {
        artifactUpdate: {
          taskId: 'r1',
          contextId: 'c1',
          artifact: { artifactId: 'a1', name: 'draft', metadata, parts: [{ text }] },
        },
      },
    });
    const frames = [taskFrame('WORKING'), replaced('one'), replaced('two'), statusFrame('COMPLETED')];
    const peer = kept(await startScriptedAgent({ SendStreamingMessage: stream(...frames) }));
    const config = { upstreams: { a2a: [{ id: 'agent', card: peer.cardUrl }] } };
    const gateway = kept(await startTestGateway({ config }));
    const { id } = await new A2aTestClient(gateway, 'agent').task('x');
    const told = await gateway.client.events(`/v1/tasks/${id}/events`);
    const renamed = told.filter(({ event, payload }) => event === 'artifact.updated' && 'name' in payload);
    expect(renamed).toEqual([]);
    const replay = await gateway.client.post<{ id: string }>(`/v1/tasks/${id}/replay`, {});
    await gateway.client.until(replay.id, 'COMPLETED', 'FAILED');
    const events = await gateway.client.events(`/v1/tasks/${replay.id}/events`);
    const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
    expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
  });
});
