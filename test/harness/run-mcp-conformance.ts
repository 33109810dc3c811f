import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startTestGateway } from './gateway.ts';

/**
 * Runs the conformance suite of MCP against `/mcp/{server}` of a gateway in front of our fixture server.
 * `node dist/test/harness/run-mcp-conformance.js <node 22> <suite's index.js> <revision> [baseline]`; ends with its code.
 */
const [suiteNode = '', suite = '', revision = '2025-11-25', baseline] = process.argv.slice(2);

/** The suite knows no credentials: this hop adds one, and changes nothing else. */
const hop = createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${gateway.client.key}` };
  const onward = request(`${gateway.url}${req.url}`, { method: req.method ?? 'GET', headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
});
await new Promise<void>((resolve) => hop.listen(0, 'localhost', resolve));
const { port } = hop.address() as AddressInfo;

const gateway = await startTestGateway({
  config: {
    server: { port: 0, allowed_hosts: [`localhost:${port}`], allowed_origins: [`http://localhost:${port}`] },
    upstreams: {
      a2a: [],
      mcp: [
        {
          id: 'fixture',
          command: [process.execPath, fileURLToPath(new URL('conformance-mcp-server.js', import.meta.url))],
          mount: true,
        },
      ],
    },
  },
});

const url = `http://localhost:${port}/mcp/fixture`;
const expected = baseline === undefined ? [] : ['--expected-failures', baseline];
const child = spawn(suiteNode, [suite, 'server', '--url', url, '--requirements', revision, ...expected], {
  stdio: 'inherit',
});
process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
hop.closeAllConnections();
hop.close();
await gateway.close();
