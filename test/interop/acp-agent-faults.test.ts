import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

describe('an ACP agent that does not keep its word', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  it('[ACP-USER-19] lost the session that it said it can load: what was said is told again, and an event says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'harn-acp-lost-'));
    // It is ended as soon as nobody uses it, so that each prompt takes its session up again.
    const upstream = acpUpstream(['--sessions', join(folder, 'kept')], { limits: { idle_stop_ms: 1 } });
    gateway = await startTestGateway({ extraClients: [upstream] });
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    const { sessionId } = await client.session({ route: 'acp:peer' });
    await client.prompt(sessionId, 'pid');
    const pid = Number(client.text());
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    rmSync(folder, { recursive: true });
    await client.prompt(sessionId, 'history');
    expect(client.text()).toBe(`${pid}I know 0 turns`);
    const notes = (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(
      ({ payload }) => payload['note'] === 'agent_session',
    );
    expect(notes.map(({ payload }) => payload['details'])).toMatchObject([
      { how: 'new' },
      { how: 'new', history_told_again: { turns: 2 }, own_session_lost: { code: -32002 } },
    ]);
    client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[ACP-USER-20] works on a tool without end and says nothing: its turn ends at the limit of the operator', async () => {
    const upstream = acpUpstream([], { limits: { idle_timeout_ms: 300 } });
    gateway = await startTestGateway({ extraClients: [upstream] });
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    const { sessionId } = await client.session({ route: 'acp:peer' });
    await expect(client.prompt(sessionId, 'hang')).rejects.toMatchObject({
      code: -32603,
      data: { harn: { code: 'deadline_exceeded' } },
    });
    expect(await client.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
    client.close();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
