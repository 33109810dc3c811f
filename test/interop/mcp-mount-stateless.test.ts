import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModernFixture, startModernFixture } from '../harness/conformance-mcp-modern.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('/mcp/{server} for the revision without sessions', () => {
  let fixture: ModernFixture;
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), 'harn-mcp-'));
  /** What the bare server was asked, and how it answers. */
  const seen: { headers: IncomingMessage['headers']; isClosed: Promise<void> }[] = [];
  let answer: (res: ServerResponse) => void = (res) => res.end('{}');
  const bare = createServer((req, res) => {
    const isClosed = new Promise<void>((resolve) => res.once('close', () => resolve()));
    seen.push({ headers: req.headers, isClosed });
    req.resume().once('end', () => answer(res));
  });

  beforeAll(async () => {
    fixture = await startModernFixture();
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
    const { port } = bare.address() as AddressInfo;
    writeFileSync(join(folder, 'token'), 'token-of-the-gateway', { mode: 0o600 });
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            {
              id: 'modern',
              url: fixture.url,
              mount: true,
              tools: { deny: ['test_error_handling'], approve: ['test_logging_tool'] },
            },
            {
              id: 'bare',
              url: `http://127.0.0.1:${port}/mcp`,
              mount: true,
              auth: { type: 'bearer', value: { file: join(folder, 'token') } },
            },
            { id: 'gone', url: 'http://127.0.0.1:9/mcp', mount: true },
          ],
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await fixture.close();
    bare.closeAllConnections();
    bare.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const headers = () => ({ authorization: `Bearer ${gateway.client.key}` });

  async function connected(server: string): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { name: 'Ada' },
    }));
    const url = new URL(`${gateway.url}/mcp/${server}`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: headers() } }));
    return client;
  }

  function post(server: string, body: object, more: Record<string, string> = {}, signal?: AbortSignal) {
    const { method = '', params } = body as { method?: string; params?: { name?: string } };
    return fetch(`${gateway.url}/mcp/${server}`, {
      method: 'POST',
      headers: {
        ...headers(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(params?.name === undefined ? {} : { 'mcp-name': params.name }),
        ...more,
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  const request = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta: META },
  });

  it('[MCP-MOUNT-1] is the server itself, its questions included, without what its operator closed', async () => {
    const client = await connected('modern');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('greet');
    expect(names).not.toContain('test_error_handling');
    expect(names).not.toContain('test_logging_tool');
    const asked = await client.callTool({ name: 'test_input_required_result_elicitation', arguments: {} });
    expect(asked).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ada!' }] });
    const told: number[] = [];
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: ({ progress }) => told.push(progress) },
    );
    expect(told).toEqual([0, 50, 100]);
    await client.close();
  });

  it.each(['test_error_handling', 'test_logging_tool'])('a closed tool is not called: %s', async (name) => {
    const refused = await post('modern', request('tools/call', { name, arguments: {} }));
    expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32602 } });
  });

  it('[MCP-MOUNT-2] hands over what belongs to the message, with the credential of the gateway and no other', async () => {
    seen.length = 0;
    answer = (res) =>
      res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{}');
    const more = { cookie: 'session=1', 'mcp-param-city': 'Rome', 'x-secret': 'no' };
    const passed = await post('bare', request('resources/list'), more);
    expect(passed.headers.get('set-cookie')).toBeNull();
    // The gateway goes on looking for tools meanwhile.
    const sent = seen.find(({ headers }) => headers['mcp-method'] === 'resources/list')?.headers;
    expect(sent).toMatchObject({
      authorization: 'Bearer token-of-the-gateway',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/list',
      'mcp-param-city': 'Rome',
    });
    expect(Object.keys(sent ?? {})).not.toContain('cookie');
    expect(Object.keys(sent ?? {})).not.toContain('x-secret');
  });

  it('a client that leaves takes its call back', async () => {
    seen.length = 0;
    answer = (res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    const left = new AbortController();
    const open = await post('bare', request('tools/call', { name: 'slow' }), {}, left.signal);
    expect(open.status).toBe(200);
    left.abort();
    await seen.find(({ headers }) => headers['mcp-method'] === 'tools/call')?.isClosed;
  });

  it('a server that is not there is a 502 with the id of the request', async () => {
    const answered = await post('gone', request('tools/list'));
    expect(answered.status).toBe(502);
    expect(await answered.json()).toMatchObject({ id: 7, error: { code: -32603 } });
  });

  it('a refused credential of the gateway is not passed on as one of the client', async () => {
    answer = (res) => res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const answered = await post('bare', request('tools/list'));
    expect(answered.status).toBe(502);
    expect(answered.headers.get('www-authenticate')).toBeNull();
  });
});
