import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewSessionResponse } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GatewayPlace, type GatewayProcess, KEY } from '../faults/gateway-process.ts';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import type { TestEvent } from '../harness/client.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { scriptedMcpServer } from '../harness/scripted-mcp-server.ts';

const SECRET = 'a-secret-of-the-editor';

describe('MCP servers that an editor names', () => {
  let sample: Awaited<ReturnType<typeof startSampleAgent>>;
  let at: GatewayPlace;
  let gateway: GatewayProcess;
  let url: string;
  let home: string;
  const open: AcpLauncher[] = [];

  beforeAll(async () => {
    sample = await startSampleAgent();
    home = mkdtempSync(join(tmpdir(), 'harn-home-'));
    at = new GatewayPlace({
      upstreams: {
        a2a: [{ id: 'sample', card: sample.cardUrl }],
        acp: [
          { id: 'http', command: acpAgentCommand('--http') },
          { id: 'plain', command: acpAgentCommand() },
        ],
      },
      telemetry: { log_level: 'debug' },
    });
    gateway = await at.start();
    url = gateway.client.url;
  });
  afterEach(async () => {
    for (const launcher of open.splice(0)) await launcher.close();
  });
  afterAll(async () => {
    await gateway.stop();
    await sample.close();
    at.remove();
    rmSync(home, { recursive: true, force: true });
  });

  /** An editor whose session has one server on standard streams. */
  async function editor(route: string, command = scriptedMcpServer(), capabilities = {}) {
    const launcher = new AcpLauncher(['--url', url, '--key', KEY], { HOME: home });
    open.push(launcher);
    const client = await launcher.client.begin({ capabilities });
    const [program = '', ...args] = command;
    const server = { name: 'tools', command: program, args, env: [{ name: 'TOKEN', value: SECRET }] };
    const { sessionId }: NewSessionResponse = await client.agent.request('session/new', {
      cwd: home,
      mcpServers: [server],
      _meta: { harn: { route } },
    });
    return { launcher, client, sessionId };
  }
  const eventsOf = (sessionId: string): Promise<TestEvent[]> =>
    gateway.client.events(`/v1/sessions/${sessionId}/events`);

  it('run on its machine, and an ACP agent calls their tools through the gateway', async () => {
    const { client, sessionId } = await editor('acp:http');
    await client.prompt(sessionId, 'tool ok');
    expect(client.text()).toBe('tools has tools: [{"type":"text","text":"fine"}]');
    const notes = (await eventsOf(sessionId)).map(({ payload }) => payload['details']);
    expect(notes).toContainEqual(expect.objectContaining({ mcp_servers: ['tools'] }));
  });

  it('that end in a call are told to the agent, and are started again for the next one', async () => {
    const { client, sessionId } = await editor('acp:http');
    await client.prompt(sessionId, 'tool die');
    expect(client.text()).toContain('The MCP server tools is gone: it ended with code 7.');
    await client.prompt(sessionId, 'tool ok');
    expect(client.text()).toContain('"fine"');
  });

  it('never leave their command and their secrets at the gateway', async () => {
    const { client, sessionId } = await editor('acp:http');
    await client.prompt(sessionId, 'tool ok');
    expect(JSON.stringify(await eventsOf(sessionId))).not.toContain(SECRET);
    expect(gateway.child.stderr).not.toContain(SECRET);
    const store = readdirSync(at.data, { recursive: true, withFileTypes: true });
    for (const file of store) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name)).includes(SECRET), file.name).toBe(false);
    }
  });

  it('have an address of their own for each session, and answer to its token alone', async () => {
    const { client, sessionId } = await editor('acp:http');
    await client.prompt(sessionId, 'servers');
    const [server] = JSON.parse(client.text()) as { url: string; headers: { value: string }[] }[];
    const post = (authorization: string) =>
      fetch(server?.url ?? '', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    expect((await post('')).status).toBe(401);
    expect((await post(`Bearer ${KEY}`)).status).toBe(401);
    // The agent said its token aloud; the log, and whoever reads it, does not have it.
    expect(server?.headers[0]?.value).toContain('<redacted');
    const other = await editor('acp:http');
    await other.client.prompt(other.sessionId, 'servers');
    expect(other.client.text()).not.toContain(server?.url);
  });

  it('end with their editor', async () => {
    const { launcher, client, sessionId } = await editor('acp:http', scriptedMcpServer('stubborn'));
    await client.prompt(sessionId, 'tool grandchild');
    const pid = Number(/"text":"(\d+)"/.exec(client.text())?.[1]);
    await launcher.close();
    await vi.waitUntil(() => !isAlive(pid), { timeout: 20_000, interval: 50 });
  });

  it('[ACP-SESS-05] are named in a note of an ACP agent that takes none', async () => {
    const { client, sessionId } = await editor('acp:plain');
    await client.prompt(sessionId, 'servers');
    expect(client.text()).toBe('[]');
    expect(
      (await eventsOf(sessionId)).map(({ payload }) => [payload['note'], payload['details']]),
    ).toContainEqual(['mcp_servers_unused', { names: ['tools'] }]);
  });

  it('are named in a notice when the agent is none of ACP', async () => {
    const { client, sessionId } = await editor('a2a:sample', scriptedMcpServer(), {
      session: { notices: {} },
    });
    await client.prompt(sessionId, 'hello');
    const notice = client.updates
      .map(({ update }) => update)
      .find(({ sessionUpdate }) => sessionUpdate === 'notice');
    expect(notice).toMatchObject({ severity: 'warning', description: expect.stringContaining('tools') });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
