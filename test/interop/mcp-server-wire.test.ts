import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { challenge } from '../harness/challenge.ts';
import { postStateless } from '../harness/mcp-post.ts';
import { mcpServerStage } from '../harness/mcp-server-stage.ts';

/** Processes of the filesystem server over this directory. */
function serversOn(root: string): number {
  const listed = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
  return listed.split('\n').filter((line) => line.includes('server-filesystem') && line.includes(root))
    .length;
}

describe('/mcp on the wire', () => {
  const stage = mcpServerStage();

  it('[MCP-FACE-2] a session belongs to the actor that opened it; calls of one session are one Harn Session', async () => {
    const { client, transport } = await stage.legacy();
    await client.callTool({ name: 'every__echo', arguments: { message: 'a' } });
    await client.callTool({ name: 'every__echo', arguments: { message: 'b' } });
    const { data } = await stage
      .gateway()
      .client.get<{ data: { session_id: string }[] }>('/v1/tasks?limit=2');
    expect(data[0]?.session_id).toBe(data[1]?.session_id);
    const foreign = await fetch(stage.url(), {
      method: 'POST',
      headers: {
        ...stage.headers('other'),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': transport.sessionId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(foreign.status).toBe(404);
    await transport.terminateSession();
    await client.close();
  });

  // Found by: npm run torture -- --minutes 0.1 --only bad-input --size 6000 --seed 5
  it.each([5, {}, null, ['harn://tasks/x']])(
    'a read of the resource %j is refused as wrong params, without a session',
    async (uri) => {
      const answered = await postStateless(stage.url(), stage.headers('reader'), 'resources/read', { uri });
      expect(await answered.json()).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('resources/list') },
      });
    },
  );

  it('[MCP-FACE-6] who may only read Skills, and not submit Tasks, is offered nothing, and what is not offered is unknown', async () => {
    const { client } = await stage.legacy({}, { name: 'reader' });
    expect((await client.listTools()).tools).toEqual([]);
    const call = { name: 'every__echo', arguments: { message: 'x' } };
    await expect(client.callTool(call)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool'),
    });
    await client.close();
  });

  it('[MCP-FACE-6] what the Workspace of a caller does not allow is neither listed nor called', async () => {
    const body = { capabilities: ['tool:read', 'agent:acp'] };
    const walled = stage.gateway().clients['walled'];
    expect((await walled?.call('PATCH', '/v1/workspaces/workspace_walled', { body }))?.status).toBe(200);
    const { client } = await stage.legacy({}, { name: 'walled' });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('files__read_text_file');
    for (const name of ['files__write_file', 'ask_sample']) {
      expect(names).not.toContain(name);
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    }
    const path = join(stage.root, 'note.txt');
    const read = await client.callTool({ name: 'files__read_text_file', arguments: { path } });
    expect(read.structuredContent).toEqual({ content: 'from the file' });
    await client.close();
  });

  it('[MCP-MOUNT-3] the Workspace of a caller holds on /mcp/{server} too, in sessions that are open, and for each key', async () => {
    const walled = stage.gateway().clients['walled'];
    const allow = async (...capabilities: string[]) => {
      const changed = await walled?.call('PATCH', '/v1/workspaces/workspace_walled', {
        body: { capabilities },
      });
      expect(changed?.status).toBe(200);
    };
    await allow('tool:read');
    const { client } = await stage.legacy({}, { name: 'walled', path: '/mcp/files' });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const make = { name: 'create_directory', arguments: { path: join(stage.root, 'made') } };
    const read = { name: 'read_text_file', arguments: { path: join(stage.root, 'note.txt') } };
    expect(await names()).toContain('read_text_file');
    expect(await names()).not.toContain('create_directory');
    await expect(client.callTool(make)).rejects.toMatchObject({ code: -32602 });
    expect(existsSync(make.arguments.path)).toBe(false);
    expect((await client.callTool(read)).content).toEqual([{ type: 'text', text: 'from the file' }]);
    await allow('agent:acp', 'tool:destructive');
    expect(await names()).not.toContain('read_text_file');
    await expect(client.callTool(read)).rejects.toMatchObject({ code: -32602 });
    const other = await stage.legacy({}, { name: 'unwalled', path: '/mcp/files' });
    expect((await other.client.callTool(read)).isError).not.toBe(true);
    const borrowed = await fetch(`${stage.url()}/files`, {
      method: 'POST',
      headers: {
        ...stage.headers('walled'),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': other.transport.sessionId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: read }),
    });
    expect(borrowed.status).toBe(404);
    await client.close();
    await other.client.close();
  });

  it('[MCP-FACE-3] without a credential: 401 that names the protected-resource metadata', async () => {
    const answer = await fetch(stage.url(), { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge(stage.gateway().url));
    const metadata = await fetch(`${stage.gateway().url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toEqual({
      resource: `${stage.gateway().url}/mcp`,
      resource_name: 'harn-gateway',
      bearer_methods_supported: ['header'],
    });
  });

  it.each(['', 'nonsense', '[]', '{"jsonrpc":"2.0"}', '[1,2]', '{"jsonrpc":"2.0","id":1,"method":"x"}'])(
    'garbage is refused, never a 5xx: %s',
    async (body) => {
      const answer = await fetch(stage.url(), {
        method: 'POST',
        headers: { ...stage.headers(), 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it.each([
    ['{"jsonrpc":"2.0","id":1,', -32_700],
    ['', -32_700],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32_700],
    ['{"id":1,"method":"tools/list"}', -32_600],
    ['[]', -32_600],
    ['42', -32_600],
  ])('[MCP-FACE-10] a body that is no JSON, or no message, says so: %s is %d', async (body, code) => {
    for (const path of ['/mcp', '/mcp/files'])
      for (const revision of ['2025-11-25', '2026-07-28']) {
        const answer = await fetch(new URL(stage.gateway().url + path), {
          method: 'POST',
          headers: {
            ...stage.headers(),
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': revision,
          },
          body,
        });
        expect(answer.status).toBe(400);
        expect(await answer.json(), `${path} ${revision}`).toMatchObject({
          jsonrpc: '2.0',
          error: { code, message: expect.stringMatching(/\w/) },
        });
      }
  });

  it('[MCP-FACE-4] a foreign Origin is refused', async () => {
    const headers = { ...stage.headers(), origin: 'https://evil.example' };
    const answer = await fetch(stage.url(), { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(403);
  });

  it('[MCP-MOUNT-1] /mcp/{server} is the server itself: its own names, without the tools that need a permission', async () => {
    const { client, transport } = await stage.legacy({}, { path: '/mcp/files' });
    expect(client.getServerVersion()?.name).toBe('secure-filesystem-server');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('read_text_file');
    expect(names).not.toContain('write_file');
    const input = { path: join(stage.root, 'note.txt') };
    const read = await client.callTool({ name: 'read_text_file', arguments: input });
    expect(read.content).toEqual([{ type: 'text', text: 'from the file' }]);
    const call = { name: 'write_file', arguments: { ...input, content: 'x' } };
    await expect(client.callTool(call)).rejects.toMatchObject({ code: -32602 });
    const before = serversOn(stage.root);
    await transport.terminateSession();
    for (let tries = 0; serversOn(stage.root) === before && tries < 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25));
    expect(serversOn(stage.root)).toBe(before - 1);
  });

  it.each(['every', 'nothing', 'sample'])('/mcp/%s is not there: nobody said so', async (server) => {
    const answer = await fetch(`${stage.url()}/${server}`, {
      method: 'POST',
      headers: { ...stage.headers(), 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
    });
    expect(answer.status).toBe(404);
  });
});
