import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { mcpServerStage, type ToolResult as Result } from '../harness/mcp-server-stage.ts';

describe('the gateway as an MCP server at /mcp', () => {
  const { root, legacy, modern } = mcpServerStage();

  const EVERYTHING: Record<string, object> = {
    echo: { message: 'hello' },
    'get-annotated-message': { messageType: 'error', includeImage: true },
    'get-env': {},
    'get-resource-links': { count: 2 },
    'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
    'get-structured-content': { location: 'Chicago' },
    'get-sum': { a: 2, b: 3 },
    'get-tiny-image': {},
    'gzip-file-as-resource': { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' },
    'toggle-simulated-logging': {},
    'toggle-subscriber-updates': {},
    'trigger-long-running-operation': { duration: 0.4, steps: 2 },
  };

  describe.each([
    ['2025-11-25', async () => (await legacy()).client],
    ['2026-07-28', () => modern()],
  ] as const)('%s', (era, connect) => {
    it('lists the Skills of all servers, and an agent as ask_<agent>, each name once', async () => {
      const client = await connect();
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)].sort());
      expect(names).toEqual(expect.arrayContaining(['ask_sample', 'every__echo', 'files__read_text_file']));
      expect(tools.find(({ name }) => name === 'files__read_text_file')).toMatchObject({
        inputSchema: { type: 'object', required: ['path'] },
        annotations: { readOnlyHint: true },
      });
      await client.close();
    });

    it.each(Object.entries(EVERYTHING))(
      '[MCP-FACE-1] every__%s answers as the server itself does',
      async (tool, input) => {
        const client = await connect();
        const params = { name: `every__${tool}`, arguments: { ...input } };
        const result = (await client.callTool(params)) as Result;
        expect(result.isError, JSON.stringify(result)).not.toBe(true);
        expect(result.content.length).toBeGreaterThan(0);
        expect(result._meta).toMatchObject({ 'dev.harn-gateway/task_id': expect.stringMatching(/^task_/) });
        await client.close();
      },
    );

    it('content blocks and structured content come back as they were', async () => {
      const client = await connect();
      const image = (await client.callTool({ name: 'every__get-tiny-image', arguments: {} })) as Result;
      expect(image.content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
      const file = (await client.callTool({
        name: 'files__read_text_file',
        arguments: { path: join(root, 'note.txt') },
      })) as Result;
      expect(file).toMatchObject({
        content: [{ type: 'text', text: 'from the file' }],
        structuredContent: { content: 'from the file' },
      });
      await client.close();
    });

    it('[MCP-FACE-5] a cursor that no list gave is refused', async () => {
      const client = await connect();
      for (const cursor of ['', 'not a cursor', Buffer.from('a b').toString('base64url')])
        await expect(client.listTools({ cursor })).rejects.toMatchObject({ code: -32602 });
      await client.close();
    });

    it('an agent is asked with a text, and answers with its result and the id of the Task', async () => {
      const client = await connect();
      const result = (await client.callTool({
        name: 'ask_sample',
        arguments: { message: 'hello' },
      })) as Result;
      expect(result.structuredContent).toMatchObject({
        task_id: expect.stringMatching(/^task_/),
        status: 'COMPLETED',
      });
      await client.close();
    });

    it('wrong arguments are a result that says which, an unknown tool is an error', async () => {
      const client = await connect();
      const wrong = (await client.callTool({ name: 'every__get-sum', arguments: { a: 1 } })) as Result;
      expect(wrong.isError).toBe(true);
      expect(wrong.content[0]?.text).toContain('b: is required');
      for (const name of ['every__nothing', 'ask_nobody', 'x'.repeat(65), '../agents'])
        await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
      await client.close();
    });

    it('[MCP-FACE-9] a call that is sent again with its key is the same Task; with other arguments it is refused', async () => {
      const client = await connect();
      const _meta = { 'dev.harn-gateway/idempotency-key': `key of ${era}` };
      const call = async (message: string) =>
        (await client.callTool({ name: 'every__echo', arguments: { message }, _meta })) as Result;
      const first = await call('once');
      const again = await call('once');
      expect(again).toMatchObject({ content: [{ text: 'Echo: once' }] });
      expect(again._meta?.['dev.harn-gateway/task_id']).toBe(first._meta?.['dev.harn-gateway/task_id']);
      await expect(call('twice')).rejects.toMatchObject({ code: -32_602 });
      await client.close();
      const back = await connect();
      const inAnother = await back.callTool({ name: 'every__echo', arguments: { message: 'once' }, _meta });
      expect(inAnother._meta?.['dev.harn-gateway/task_id']).toBe(first._meta?.['dev.harn-gateway/task_id']);
      await back.close();
    });

    it('progress of the Task is progress of the call', async () => {
      const client = await connect();
      const told: number[] = [];
      const call = {
        name: 'every__trigger-long-running-operation',
        arguments: { duration: 0.6, steps: 3 },
      };
      const options = { onprogress: ({ progress }: { progress: number }) => void told.push(progress) };
      // The SDK of the older revisions takes a schema before the options.
      if (client instanceof Client) await client.callTool(call, undefined, options);
      else await client.callTool(call, options as never);
      // The SDK of the older revisions drops progress that arrives in one breath with the result.
      expect(told.at(-1)).toBeGreaterThanOrEqual(2);
      await client.close();
    });

    it('a call that waits for a permission says so, and by whom it can be given', async () => {
      const client = await connect();
      const result = (await client.callTool({
        name: 'files__write_file',
        arguments: { path: join(root, 'x.txt'), content: 'x' },
      })) as Result;
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toMatch(/AUTH_REQUIRED.*permission-requests\/permission_request_/);
      await client.close();
    });

    it('Tasks, receipts and Artifacts are resources', async () => {
      const client = await connect();
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'harn://artifacts/{id}',
        'harn://receipts/{id}',
        'harn://tasks/{id}',
      ]);
      const call = { name: 'every__get-sum', arguments: { a: 1, b: 1 } };
      const { _meta } = (await client.callTool(call)) as Result;
      const uri = `harn://receipts/${_meta?.['dev.harn-gateway/receipt_id']}`;
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri, mimeType: 'application/json' });
      await expect(client.readResource({ uri: 'harn://tasks/task_none' })).rejects.toMatchObject({
        code: -32602,
      });
      await client.close();
    });
  });

  it('a client that offers elicitation is asked in the middle of its call', async () => {
    const { client } = await legacy({ elicitation: {} });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      expect(params.message).not.toBe('');
      return { action: 'accept', content: { name: 'Ada', email: 'ada@example.com', check: true } };
    });
    const call = { name: 'every__trigger-elicitation-request', arguments: {} };
    const result = (await client.callTool(call)) as Result;
    expect(JSON.stringify(result.content)).toContain('Ada');
    await client.close();
  });

  it('[MCP-FACE-1] tools that ask by a page, or run only as a task of their server', async () => {
    const { client } = await legacy({ elicitation: { form: {}, url: {} } });
    const url = 'https://example.com/sign-in';
    const asked: object[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params);
      return { action: 'accept' };
    });
    const page = { name: 'every__trigger-url-elicitation', arguments: { url } };
    expect((await client.callTool(page)).isError).not.toBe(true);
    expect(asked).toMatchObject([{ mode: 'url', url }]);
    const { client: bare } = await legacy();
    const research = { name: 'every__simulate-research-query', arguments: { topic: 'rivers' } };
    expect(JSON.stringify(await bare.callTool(research))).toContain('Research Report: rivers');
    expect(JSON.stringify(await bare.callTool(page))).toContain(`Open ${url} first`);
    await Promise.all([client.close(), bare.close()]);
  });

  it('without elicitation the result says how the Task can be answered', async () => {
    const { client } = await legacy();
    const call = { name: 'every__trigger-elicitation-request', arguments: {} };
    const result = (await client.callTool(call)) as Result;
    expect(result.content[0]?.text).toMatch(/INPUT_REQUIRED.*permission-requests/);
    await client.close();
  });

  it('a stateless client gets input_required, and its retry goes on with the durable Task of an older server', async () => {
    const client = await modern({ elicitation: { form: {} } });
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { name: 'Grace', email: 'grace@example.com', check: false },
    }));
    const call = { name: 'every__trigger-elicitation-request', arguments: {} };
    const result = (await client.callTool(call)) as Result;
    expect(JSON.stringify(result.content)).toContain('Grace');
    await client.close();
  });

  it('an agent that asks is answered the same way', async () => {
    const { client } = await legacy({ elicitation: {} });
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: 'accept',
      content: { answer: 'blue' },
    }));
    const result = (await client.callTool({ name: 'ask_sample', arguments: { message: 'ask' } })) as Result;
    expect(result.structuredContent).toMatchObject({ status: 'COMPLETED' });
    await client.close();
  });
});
