import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AcpClientOptions, NEVER, WITH_MACHINE } from '../../harness/acp-client.ts';
import { AcpLauncher } from '../../harness/acp-launcher.ts';
import { acpAgentCommand } from '../../harness/acp-stage.ts';
import { type Closable, mcpClients } from '../../harness/mcp-server-stage.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { killChildren, PROGRAM } from '../child-processes.ts';
import { KEY } from '../gateway-process.ts';
import { GatewayNodes } from './gateway-nodes.ts';

const LIMIT_MS = 120_000;
const POLL = { timeout: 20_000 };

describe.skipIf(NATS_SERVER === undefined)(needsNats('clients of three gateways on one log'), () => {
  let servers: NatsServers;
  let sample: Awaited<ReturnType<typeof startSampleAgent>>;
  let nodes: GatewayNodes;
  let home: string;
  const launchers: AcpLauncher[] = [];
  const clients: Closable[] = [];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'harn-home-'));
    servers = await NatsServers.start({ servers: 3 });
    sample = await startSampleAgent();
    nodes = await GatewayNodes.start(servers, 'clients', {
      a2a: [{ id: 'sample', card: sample.cardUrl }],
      acp: [{ id: 'coder', command: acpAgentCommand() }],
    });
  }, LIMIT_MS);
  afterEach(async () => {
    for (const launcher of launchers.splice(0)) launcher.process.kill('SIGKILL');
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await nodes.close();
    killChildren();
    await sample.close();
    await servers.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  async function editor(options: AcpClientOptions = {}) {
    const flags = ['--url', nodes.proxy.url, '--key', KEY];
    const launcher = new AcpLauncher(flags, { HOME: home }, options);
    launchers.push(launcher);
    return launcher.client.begin(options);
  }

  const connect = mcpClients(
    (path) => new URL(nodes.proxy.url + path),
    () => ({ authorization: `Bearer ${KEY}` }),
    clients,
  );

  it(
    'an editor goes on with its turn at another node: nothing it saw is lost, and its prompt is answered',
    async () => {
      const client = await editor();
      const { sessionId } = await client.session();
      const prompt = client.prompt(sessionId, 'stream 12 150');
      await client.until(() => client.text().includes('chunk 4 of 12'));
      await nodes.killOwner();
      expect(await prompt).toMatchObject({
        stopReason: 'end_turn',
        _meta: { harn: { status: 'COMPLETED' } },
      });
      for (let n = 1; n <= 12; n += 1) expect(client.text()).toContain(`chunk ${n} of 12`);
      const events = await nodes.client.events(`/v1/sessions/${sessionId}/events`);
      expect(events.filter(({ event }) => event === 'task.submitted')).toHaveLength(1);
      expect(await client.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
    },
    LIMIT_MS,
  );

  it(
    'a permission that was asked is asked again by the next node, once; the turn whose agent died with the first one says so',
    async () => {
      let asked = 0;
      const client = await editor({
        permission: async () => {
          asked += 1;
          // The first one is never answered: its node is gone.
          if (asked === 1) await new Promise(() => undefined);
          return { outcome: { outcome: 'selected', optionId: 'yes' } };
        },
      });
      const { sessionId } = await client.session({ route: 'acp:coder' });
      const prompt = client
        .prompt(sessionId, 'edit')
        .catch((error: { code: number; data: unknown }) => error);
      await client.until(() => client.permissions.length === 1);
      await nodes.killOwner();
      expect(await prompt).toMatchObject({ code: -32603, data: { harn: { code: 'upstream_unavailable' } } });
      expect(asked).toBe(2);
      const { data } = await nodes.client.get<{ data: { status: string }[] }>(
        `/v1/permission-requests?session_id=${sessionId}`,
      );
      expect(data).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'files and terminals of an editor are used by the next node too; a turn that waited for one when its agent died says so',
    async () => {
      const files = new Map([['/work/in.txt', 'hello']]);
      const client = await editor({ files, capabilities: WITH_MACHINE });
      const { sessionId } = await client.session({ route: 'acp:coder' });
      const used = ['/work/in.txt', '/work/out.txt', 'make', 'released terminal-3'];
      expect(await client.prompt(sessionId, 'machine')).toMatchObject({ stopReason: 'end_turn' });
      expect([client.hosted.splice(0), files.get('/work/out.txt')]).toEqual([used, 'HELLO']);
      const cutOff = client
        .prompt(sessionId, `read ${NEVER}`)
        .catch((error: { code: number; data: unknown }) => error);
      await client.until(() => client.hosted.length === 1);
      await nodes.killOwner();
      // By whether the agent had named its turn when it died.
      const codes = expect.stringMatching(/^(upstream_unavailable|runtime_error)$/);
      expect(await cutOff).toMatchObject({ code: -32603, data: { harn: { code: codes } } });
      // Nothing was read again: who asked for it is gone.
      expect(client.hosted.splice(0)).toEqual([NEVER]);
      files.set('/work/in.txt', 'again');
      expect(await client.prompt(sessionId, 'machine')).toMatchObject({ stopReason: 'end_turn' });
      expect([client.hosted, files.get('/work/out.txt')]).toEqual([used, 'AGAIN']);
    },
    LIMIT_MS,
  );

  /** States of the tasks that were asked for with a text. */
  async function statesOf(text: string): Promise<string[]> {
    const { data } = await nodes.client.get<{ data: { status: string; input: unknown }[] }>('/v1/tasks');
    return data.filter(({ input }) => JSON.stringify(input).includes(text)).map(({ status }) => status);
  }

  it(
    'tool calls that a kill cut off run once: repeated by their key, or by a launcher that goes on by itself',
    async () => {
      const ask = (message: string, key?: string) => ({
        name: 'ask_sample',
        arguments: { message },
        ...(key && { _meta: { 'dev.harn-gateway/idempotency-key': key } }),
      });
      const done = { structuredContent: { status: 'COMPLETED' } };
      const keyed = await connect.modern();
      const launched = new Client({ name: 'test', version: '1' });
      clients.push(launched);
      await launched.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [PROGRAM, 'mcp'],
          env: { HARN_GATEWAY_URL: nodes.proxy.url, HARN_GATEWAY_KEY: KEY },
        }) as unknown as Transport,
      );
      const refused = keyed.callTool(ask('slow 8.1', 'at the kill')).catch((error: unknown) => error);
      const ofLauncher = launched.callTool(ask('slow 8.2')).catch((error: unknown) => error);
      for (const text of ['slow 8.1', 'slow 8.2'])
        await expect.poll(() => statesOf(text), POLL).toEqual(['WORKING']);
      await nodes.killOwner();
      // Either is answered, or told at once that it may have run: nothing waits for an answer that cannot come.
      const settled = [await refused, await ofLauncher];
      for (const one of settled) if (!(one instanceof Error)) expect(one).toMatchObject(done);
      expect(settled.map(String).join()).not.toContain('timed out');
      const { structuredContent } = await keyed.callTool(ask('slow 8.1', 'at the kill'));
      expect(structuredContent).toMatchObject({ task_id: expect.stringMatching(/^task_/) });
      expect(await launched.callTool(ask('hello'))).toMatchObject(done);
      // One whose agent was not heard from yet is not sent to it again, and fails.
      for (const text of ['slow 8.1', 'slow 8.2'])
        await expect
          .poll(() => statesOf(text), POLL)
          .toEqual([expect.stringMatching(/^(COMPLETED|FAILED)$/)]);
    },
    LIMIT_MS,
  );

  it(
    'a question in the middle of a tool call is asked again by the next node',
    async () => {
      const { client } = await connect.legacy({ elicitation: {} });
      let asked = 0;
      client.setRequestHandler(ElicitRequestSchema, async () => {
        asked += 1;
        // The first one is never answered: its node is gone.
        if (asked === 1) await new Promise(() => undefined);
        return { action: 'accept', content: { answer: 'blue' } };
      });
      const call = client.callTool({ name: 'ask_sample', arguments: { message: 'ask' } });
      await expect.poll(() => asked, POLL).toBe(1);
      await nodes.killOwner();
      expect(await call).toMatchObject({ structuredContent: { status: 'COMPLETED' } });
      expect(asked).toBeGreaterThan(1);
    },
    LIMIT_MS,
  );
});
