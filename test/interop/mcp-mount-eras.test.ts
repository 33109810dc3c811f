import type { Client as ModernClient } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EraServer } from '../harness/era-servers.ts';
import { RESOURCE } from '../harness/era-tools.ts';
import { ERAS, mountStage, SERVERS, type Told, textOf } from '../harness/mcp-mount-stage.ts';

const ROWS = ERAS.flatMap((client) => SERVERS.map((server) => ({ client, ...server })));

describe('/mcp/{server} for clients of either era in front of servers of either era', () => {
  const { servers, connect } = mountStage();

  describe.each(ROWS)('a client of $client, a server of $era on $wire', ({ client: era, id, ...row }) => {
    let client: Client;
    beforeAll(async () => {
      client = await connect(era, id);
    });

    /** The clients of the two SDKs take their options in different places. */
    const call = (name: string, options: RequestOptions) =>
      era === 'sessions'
        ? client.callTool({ name, arguments: {} }, undefined, options)
        : (client as unknown as ModernClient).callTool({ name, arguments: {} }, options as never);

    it('[MCP-MOUNT-5] is the server itself: its name, tools, resources, prompts and completions', async () => {
      expect(client.getServerVersion()).toMatchObject({ name: 'era', version: '1' });
      expect(client.getInstructions()).toBe('Ask.');
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('greet');
      expect(names).not.toContain('closed');
      expect(textOf(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } }))).toBe(
        'Hello, Ada!',
      );
      expect((await client.listResources()).resources).toMatchObject([{ uri: RESOURCE }]);
      expect((await client.readResource({ uri: RESOURCE })).contents).toMatchObject([{ text: 'as it is' }]);
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'say' }]);
      const { messages } = await client.getPrompt({ name: 'say', arguments: { word: 'yes' } });
      expect(messages).toMatchObject([{ content: { text: 'Say yes' } }]);
      const completed = await client.complete({
        ref: { type: 'ref/prompt', name: 'say' },
        argument: { name: 'word', value: 'p' },
      });
      expect(completed.completion.values).toEqual(['paris']);
    });

    it.each([
      ['ask', 'accept: Ada'],
      ['sample', 'model: m1'],
      ['roots', 'roots: file:///work'],
    ])('[MCP-MOUNT-6] what the server asks reaches the client: %s', async (name, said) => {
      expect(textOf(await client.callTool({ name, arguments: {} }))).toBe(said);
    });

    it('progress of a call is told before its result', async () => {
      const told: number[] = [];
      await call('progress', { onprogress: ({ progress }) => told.push(progress) });
      expect(told).toEqual([1, 2, 3]);
    });

    it('errors of the server are those of the era of the client', async () => {
      await expect(client.callTool({ name: 'fail', arguments: {} })).rejects.toMatchObject({
        code: -32_050,
        data: { why: 'always' },
      });
      await expect(client.callTool({ name: 'closed', arguments: {} })).rejects.toMatchObject({
        code: -32_602,
      });
      await expect(client.readResource({ uri: 'era://none' })).rejects.toMatchObject({
        code: era === 'sessions' ? -32_002 : -32_602,
        data: { uri: 'era://none' },
      });
    });

    it('a client that gives a call up takes it back from the server', async () => {
      const server = servers.get(id) as EraServer;
      const left = new Promise<void>((resolve) => {
        server.left = resolve;
      });
      const given = new AbortController();
      server.staying = () => given.abort();
      await expect(call('stay', { signal: given.signal })).rejects.toThrow();
      await left;
    });

    it('lines of the log are told to a client that wants them', async () => {
      const told: Told[] = [];
      client.fallbackNotificationHandler = async (notification) => void told.push(notification as Told);
      if (era === 'sessions') await client.setLoggingLevel('info');
      const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      await client.callTool({ name: 'log', arguments: {}, ...(era === 'sessions' ? {} : { _meta }) });
      expect(told).toMatchObject([{ method: 'notifications/message', params: { data: 'a line' } }]);
    });

    it('what changes is told to a client that listens', async () => {
      const told = new Map<string, () => void>();
      const heard = ['notifications/tools/list_changed', 'notifications/resources/updated'].map(
        (method) => new Promise<void>((resolve) => told.set(method, resolve)),
      );
      client.fallbackNotificationHandler = async ({ method }) => told.get(method)?.();
      if (era === 'sessions') await client.subscribeResource({ uri: RESOURCE });
      else {
        const modern = client as unknown as ModernClient;
        await modern.listen({ toolsListChanged: true, resourceSubscriptions: [RESOURCE] });
      }
      await client.callTool({ name: 'touch', arguments: {} });
      await Promise.all(heard);
    });

    it(`a client that offers nothing is not asked (${row.wire})`, async () => {
      const mute = await connect(era, id, {});
      expect(textOf(await mute.callTool({ name: 'greet', arguments: { name: 'Bob' } }))).toBe('Hello, Bob!');
      await expect(mute.callTool({ name: 'ask', arguments: {} })).rejects.toThrow();
    });
  });
});
