import type { SessionNotification } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UPDATE_KINDS } from '../../mappings/acp/update-kinds.ts';
import { statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { AcpClient, type AcpClientOptions } from '../harness/acp-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAcpAgent } from '../harness/peers/acp-socket-agent.ts';
import { stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

type Update = SessionNotification['update'];

/** What an agent says in one message. */
const LONG = 'z'.repeat(200_000);

/** What a client of the SDK was told, by the kind of update. */
const told = (client: AcpClient, kind: string) =>
  client.updates.map(({ update }) => update).filter(({ sessionUpdate }) => sessionUpdate === kind);

/** Characters of all texts of an update. */
const sizeOf = (update: Update | undefined) => JSON.stringify(update ?? null).length;

describe('a large update of an agent', () => {
  let gateway: TestGateway;
  let wordy: Awaited<ReturnType<typeof startScriptedAgent>>;
  const open: AcpClient[] = [];

  beforeEach(async () => {
    wordy = await startScriptedAgent({
      SendStreamingMessage: stream(taskFrame('WORKING'), statusFrame('COMPLETED', LONG)),
    });
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [{ id: 'wordy', card: wordy.cardUrl }],
          acp: [{ id: 'coder', url: agent.url }],
        },
      },
      keys: [{ actor: 'reader', scopes: ['runtime:read', 'sessions:read', 'events:read', 'personas:read'] }],
    });
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    await gateway.close();
    await wordy.close();
  });

  async function connect(options: AcpClientOptions = {}, key = gateway.client.key) {
    const client = await AcpClient.overSocket(gateway.url, key, options);
    open.push(client);
    return client;
  }
  async function prompted(text: string, options: AcpClientOptions = {}) {
    const client = await connect(options);
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, text)).toMatchObject({ stopReason: 'end_turn' });
    return { client, sessionId };
  }
  const load = (client: AcpClient, sessionId: string) =>
    client.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });

  it.each([
    ['commands', 'available_commands_update', 200_000],
    ['commands', 'available_commands_update', 8_000_000],
    ['plan', 'plan', 200_000],
    ['title', 'tool_call', 200_000],
    ['chunk', 'agent_message_chunk', 200_000],
  ])(
    '[ACP-USER-28] reaches its client whole, now and when it loads: %s (%s, %i bytes)',
    async (what, kind, bytes) => {
      const { client, sessionId } = await prompted(`large ${bytes} ${what}`);
      const later = await connect();
      await load(later, sessionId);
      for (const seen of [client, later]) {
        expect(sizeOf(told(seen, kind)[0])).toBeGreaterThan(bytes);
        expect(seen.text().endsWith(' after it')).toBe(true);
        const places = seen.updates.flatMap(({ update }) => JSON.stringify(update).match(/harn:\/\//g) ?? []);
        expect(places).toEqual([]);
      }
      expect(JSON.stringify(told(later, kind)) === JSON.stringify(told(client, kind))).toBe(true);
      // The log keeps it as a reference.
      for (const event of await gateway.client.events(`/v1/sessions/${sessionId}/events`))
        expect(JSON.stringify(event).length).toBeLessThan(70_000);
    },
  );

  it('keeps a client that reads at its own pace, whatever is told besides', async () => {
    const { client, sessionId } = await prompted('large 4000000 commands');
    const others = await Promise.all([1, 2, 3].map(() => client.session({ route: 'acp:coder' })));
    const loads = [1, 2].map(() => load(client, sessionId));
    const prompts = others.map((other) => client.prompt(other.sessionId, 'stream 40'));
    for (const done of await Promise.all([...loads, ...prompts])) expect(done).toBeDefined();
    expect(told(client, 'available_commands_update').length).toBeGreaterThanOrEqual(2);
  });

  it('leaves the options of the agent whole, for clients that come later too', async () => {
    const { client, sessionId } = await prompted('large 200000 options');
    const later = await load(await connect(), sessionId);
    const [update] = told(client, 'config_option_update').slice(-1) as { configOptions: { id: string }[] }[];
    for (const { configOptions } of [update, later] as {
      configOptions: { id: string; options: object[] }[];
    }[])
      expect(configOptions.find(({ id }) => id === 'model')?.options).toHaveLength(50);
  });

  it('is whole in a question too', async () => {
    const answer = { outcome: { outcome: 'selected' as const, optionId: 'yes' } };
    const { client } = await prompted('large 200000 asked', { permission: async () => answer });
    expect(client.permissions[0]?.toolCall).toMatchObject({
      toolCallId: 'large-1',
      title: 'Read all',
      kind: 'read',
    });
    expect(JSON.stringify(client.permissions[0]?.toolCall).length).toBeGreaterThan(200_000);
  });

  it('is whole where an agent of another protocol says it, and where the user did', async () => {
    const client = await connect();
    const { sessionId } = await client.session({ route: 'a2a:wordy' });
    const words = `hello ${'y'.repeat(200_000)}`;
    await client.prompt(sessionId, words);
    const later = await connect();
    await load(later, sessionId);
    expect(later.text('user_message_chunk') === words).toBe(true);
    for (const seen of [client, later]) expect(seen.text() === LONG).toBe(true);
  });

  it('is told as a notice to whom the gateway does not show artifacts, and never without what it must have', async () => {
    const reader = gateway.clients['reader']?.key ?? '';
    for (const what of ['commands', 'plan', 'title', 'chunk']) {
      const { sessionId } = await prompted(`large 200000 ${what}`);
      const client = await connect({ capabilities: { session: { notices: {} } } }, reader);
      await load(client, sessionId);
      for (const { update } of client.updates)
        for (const name of UPDATE_KINDS[update.sessionUpdate].requires) expect(update).toHaveProperty(name);
      expect(client.text()).toContain(' after it');
    }
  });
});
