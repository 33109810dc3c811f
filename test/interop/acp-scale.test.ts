import { describe, expect, it } from 'vitest';
import { AcpClient } from '../harness/acp-client.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway } from '../harness/gateway.ts';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('ACP at its sizes', () => {
  const stage = acpServerStage();

  it('a load of 3,000 updates arrives whole and in order, before its answer', async () => {
    const first = await stage.connect();
    const { sessionId } = await first.session({ route: 'acp:coder' });
    await first.prompt(sessionId, 'stream 3000');
    const second = await stage.connect();
    await second.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    const pieces = second.updates.flatMap(({ update }) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    );
    expect(pieces).toEqual(Array.from({ length: 3_000 }, (_, n) => `piece ${n + 1} `));
  });

  it('500 sessions of five clients are one process of the agent', async () => {
    const pids: string[] = [];
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 5; n += 1) {
      const client = await stage.connect();
      const sessions = await Promise.all(
        Array.from({ length: 100 }, () => client.session({ route: 'acp:coder' })),
      );
      await Promise.all(sessions.map(({ sessionId }) => client.prompt(sessionId, 'pid')));
      pids.push(...sessions.map(({ sessionId }) => client.text('agent_message_chunk', sessionId)));
    }
    const grown = Math.round((process.memoryUsage().rss - before) / 1_024 / pids.length);
    console.info(`500 ACP sessions with one turn each: ${grown} KiB of resident memory per session`);
    expect(pids).toHaveLength(500);
    expect([...new Set(pids)]).toEqual([expect.stringMatching(/^\d+$/)]);
  });

  it('an agent that nobody uses for a while is stopped, and started again for the next prompt of its session', async () => {
    const upstream = acpUpstream([], { limits: { idle_stop_ms: 50 } });
    const gateway = await startTestGateway({ extraClients: [upstream] });
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    const { sessionId } = await client.session({ route: 'acp:peer' });
    await client.prompt(sessionId, 'pid');
    const first = client.text();
    await expect.poll(() => isAlive(Number(first)), { timeout: 20_000 }).toBe(false);
    expect(await client.prompt(sessionId, 'pid')).toMatchObject({ stopReason: 'end_turn' });
    const second = client.text().slice(first.length);
    expect(second).toMatch(/^\d+$/);
    expect(second).not.toBe(first);
    client.close();
    await gateway.close();
  });

  it('content above the inline limit reaches the client whole, with the call it belongs to', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'big');
    const ended = client.updates
      .map(({ update }) => update)
      .find((update) => 'status' in update && update.status === 'completed');
    expect(ended).toMatchObject({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'big-1',
      content: [{ type: 'content', content: { type: 'text', text: 'x'.repeat(1_000_000) } }],
    });
  });
});
