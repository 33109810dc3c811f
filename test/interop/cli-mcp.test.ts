import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../faults/child-processes.ts';
import { mcpServerStage } from '../harness/mcp-server-stage.ts';

describe('harn-gateway mcp on standard streams', () => {
  const stage = mcpServerStage();

  it('lists the tools of the gateway, calls one, and carries its questions to the client', async () => {
    const gateway = stage.gateway();
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: 'accept',
      content: { name: 'Ada', email: 'ada@example.com', check: true },
    }));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp'],
      env: { HARN_GATEWAY_URL: gateway.url, HARN_GATEWAY_KEY: gateway.client.key },
    });
    await client.connect(transport as unknown as Transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('every__echo');
    const echo = await client.callTool({ name: 'every__echo', arguments: { message: 'over the pipe' } });
    expect(JSON.stringify(echo.content)).toContain('over the pipe');
    const asked = await client.callTool({ name: 'every__trigger-elicitation-request', arguments: {} });
    expect(JSON.stringify(asked.content)).toContain('Ada');
    await expect(client.callTool({ name: 'every__nothing', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    await client.close();
  });
});
