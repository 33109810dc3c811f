import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayPlace, KEY } from '../faults/gateway-process.ts';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

describe('harn-gateway acp, as an editor spawns it', () => {
  let sample: Awaited<ReturnType<typeof startSampleAgent>>;
  let home: string;
  const open: AcpLauncher[] = [];

  beforeAll(async () => {
    sample = await startSampleAgent();
  });
  afterAll(() => sample.close());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'harn-home-'));
  });
  afterEach(() => {
    for (const launcher of open.splice(0)) launcher.process.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  function launch(flags: string[], options = {}): AcpLauncher {
    const launcher = new AcpLauncher(flags, { HOME: home }, options);
    open.push(launcher);
    return launcher;
  }

  async function place(): Promise<{ at: GatewayPlace; url: string }> {
    const port = await freePort();
    const at = new GatewayPlace({
      server: { port },
      upstreams: {
        a2a: [{ id: 'sample', card: sample.cardUrl }],
        acp: [{ id: 'coder', command: acpAgentCommand() }],
      },
    });
    return { at, url: `http://127.0.0.1:${port}` };
  }

  it('drives an A2A agent and an ACP agent of a running gateway, and ends with its input', async () => {
    const { at, url } = await place();
    const gateway = await at.start();
    const permission = async () => ({ outcome: { outcome: 'selected' as const, optionId: 'yes' } });
    const launcher = launch(['--url', url, '--key', KEY], { permission });
    const client = await launcher.client.begin();
    const { sessionId } = await client.session();
    expect(await client.prompt(sessionId, 'stream 3')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toContain('chunk 3 of 3');
    await client.agent.request('session/set_config_option', {
      sessionId,
      configId: 'agent',
      value: 'acp:coder',
    });
    expect(await client.prompt(sessionId, 'edit')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toContain('option yes');
    expect(await launcher.close()).toBe(0);
    for (const line of launcher.stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    await gateway.stop();
    at.remove();
  });

  it('[ACP-USER-01] starts a gateway where none runs, and takes it along when it ends', async () => {
    const data = join(home, 'data');
    const launcher = launch(['--data', data]);
    const client = await launcher.client.begin();
    const { sessionId } = await client.session();
    expect(await client.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
    expect(await launcher.close()).toBe(0);
    expect(launcher.stderr).not.toContain('harn_dev_');
    const again = launch(['--data', data]);
    const second = await again.client.begin();
    await second.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    expect(second.text('user_message_chunk')).toBe('hello');
    await again.close();
  });

  it('the gateway is killed in the middle of a turn: nothing the editor saw is lost, and the prompt is answered', async () => {
    const { at, url } = await place();
    const first = await at.start();
    const launcher = launch(['--url', url, '--key', KEY]);
    const client = await launcher.client.begin();
    const { sessionId } = await client.session();
    const prompt = client.prompt(sessionId, 'stream 12 150');
    await client.until(() => client.text().includes('chunk 4 of 12'));
    await first.kill();
    const seen = client.updates.flatMap(({ update }) => eventIdOf(update._meta) ?? []);
    const second = await at.start();
    expect(await prompt).toMatchObject({ stopReason: 'end_turn', _meta: { harn: { status: 'COMPLETED' } } });
    const events = await second.client.events(`/v1/sessions/${sessionId}/events`);
    const ids = new Set(events.map(({ id }) => id));
    expect(seen.filter((id) => !ids.has(id))).toEqual([]);
    for (let n = 1; n <= 12; n += 1) expect(client.text()).toContain(`chunk ${n} of 12`);
    const tasks = events.filter(({ event }) => event === 'task.submitted');
    expect(tasks).toHaveLength(1);
    const told = client.updates.flatMap(({ update }) => eventIdOf(update._meta) ?? []);
    expect(told).toEqual([...told].sort());
    expect(await client.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
    await launcher.close();
    await second.stop();
    at.remove();
  });

  it('a permission that was asked before the gateway went is asked again, once', async () => {
    const { at, url } = await place();
    const first = await at.start();
    const launcher = launch(['--url', url, '--key', KEY]);
    const client = await launcher.client.begin();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, 'edit').catch((error: { code: number; data: unknown }) => error);
    await client.until(() => client.permissions.length === 1);
    await first.kill();
    const second = await at.start();
    await client.until(() => client.permissions.length === 2);
    const [request] = (
      await second.client.get<{ data: { id: string }[] }>(`/v1/permission-requests?session_id=${sessionId}`)
    ).data;
    await second.client.post(`/v1/permission-requests/${request?.id}/respond`, { approved: true });
    // The agent died with the gateway, so its turn has no result; that is said, and nothing is done again.
    expect(await prompt).toMatchObject({ code: -32603, data: { harn: { code: 'upstream_unavailable' } } });
    expect(client.permissions).toHaveLength(2);
    await launcher.close();
    await second.stop();
    at.remove();
  });

  it('a key that is refused is a login and nothing else', async () => {
    const { at, url } = await place();
    const gateway = await at.start();
    const launcher = launch(['--url', url, '--key', 'wrong']);
    await expect(launcher.client.begin()).rejects.toMatchObject({ code: -32000 });
    await launcher.close();
    await gateway.stop();
    at.remove();
  });
});

function eventIdOf(meta: unknown): string | undefined {
  return (meta as { harn?: { eventId?: string } } | undefined)?.harn?.eventId;
}

/** Below the ports that systems give to outgoing connections: none of those takes it while the gateway is away. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
