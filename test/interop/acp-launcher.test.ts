import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  function launch(flags: string[], options = {}, env: Record<string, string> = {}): AcpLauncher {
    const launcher = new AcpLauncher(flags, { HOME: home, ...env }, options);
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
    const words = `harn-gateway acp: no gateway ran, so one was started on ${data} `;
    expect(launcher.stderr.split(words)).toHaveLength(2);
    expect(client.text('agent_thought_chunk')).toContain('A gateway was started for this editor: ');
    const again = launch(['--data', data]);
    const second = await again.client.begin();
    await second.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    expect(second.text('user_message_chunk')).toBe('hello');
    await again.close();
  });

  it('says in the first notice of each session that the gateway is its own, to an editor that shows notices', async () => {
    const data = join(home, 'data');
    const launcher = launch(['--data', data]);
    const client = await launcher.client.begin({ capabilities: { session: { notices: {} } } });
    for (const _session of [1, 2]) {
      const { sessionId } = await client.session();
      await client.prompt(sessionId, 'hello');
      await client.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
      const told = client.updates.filter((update) => update.sessionId === sessionId);
      const notices = told.filter(({ update }) => update.sessionUpdate === 'notice');
      expect(notices).toEqual([told[0]]);
      expect(notices[0]?.update).toMatchObject({ description: expect.stringContaining(data) });
    }
    await launcher.close();
  });

  it('finds a running gateway wherever its data directory is, and starts none', async () => {
    const at = new GatewayPlace({ upstreams: { a2a: [{ id: 'sample', card: sample.cardUrl }] } });
    const gateway = await at.start();
    const state = { XDG_STATE_HOME: at.state };
    const launcher = launch([], {}, { ...state, HARN_GATEWAY_KEY: KEY });
    const { sessionId } = await (await launcher.client.begin()).session();
    expect(await gateway.client.get(`/v1/sessions/${sessionId}`)).toMatchObject({ id: sessionId });
    expect(launcher.stderr).toContain(`uses the gateway on ${at.data} `);
    expect(launcher.client.kinds()).not.toContain('agent_thought_chunk');
    await launcher.close();
    const keyless = launch([], {}, state);
    await expect(keyless.client.begin()).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(`the gateway on ${at.data} has no development key`),
    });
    await keyless.close();
    await gateway.stop();
    expect(readdirSync(join(at.state, 'harn-gateway', 'running'))).toEqual([]);
    at.remove();
  });

  it.each([
    ['that is not there', 'absent.key', 'there is no such file'],
    ['that is empty', 'empty.key', 'is empty'],
    ['that is a directory', '.', 'it is a directory'],
  ])('a key file %s is the error that every request gets at once', async (_which, name, why) => {
    writeFileSync(join(home, 'empty.key'), '\n');
    const began = performance.now();
    const launcher = launch(['--url', 'http://127.0.0.1:1', '--key-file', join(home, name)]);
    const error = { code: -32603, message: expect.stringContaining(join(home, name)) };
    await expect(launcher.client.begin()).rejects.toMatchObject(error);
    await expect(launcher.client.begin()).rejects.toMatchObject({ message: expect.stringContaining(why) });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(launcher.stderr).toContain(join(home, name));
    expect(launcher.stderr).not.toContain('No gateway answers');
    await launcher.close();
  });

  it('a configuration that no gateway can start with is told as what it is, and works when it is mended', async () => {
    const config = join(home, 'gateway.yaml');
    writeFileSync(config, 'server: {prot: 1}\n');
    const launcher = launch(['--data', join(home, 'data'), '--config', config]);
    await expect(launcher.client.begin()).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/exit code 2.*server\.prot/),
    });
    writeFileSync(config, '{}\n');
    await expect
      .poll(() => launcher.client.begin().catch(() => undefined), { timeout: 60_000, interval: 500 })
      .toBeDefined();
    await launcher.close();
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
