import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { runCommand } from './command-line.ts';

const OLDER = 'agents-protocol-2026-04-25';
const NEWER = 'agents-protocol-2026-10-11';

describe('command line: --protocol-version', () => {
  let agent: Peer;
  let gateway: TestGateway;
  const asked: IncomingHttpHeaders[] = [];
  /** Notes what commands send, and has nothing to list. */
  const noting = createServer((request, response) => {
    asked.push(request.headers);
    request.resume();
    const page = { has_more: false, next_cursor: null };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [], page, ...page }));
  });
  beforeAll(async () => {
    agent = await startSampleAgent();
    const upstreams = { a2a: [{ id: 'sample', card: agent.cardUrl }] };
    gateway = await startTestGateway({ config: { upstreams } });
    await new Promise<void>((resolve) => void noting.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => noting.close(resolve));
    await gateway.close();
    await agent.close();
  });
  const run = (...args: string[]) => runCommand([...args, '--url', gateway.url, '--key', gateway.client.key]);
  const note = (...args: string[]) => {
    const url = `http://127.0.0.1:${(noting.address() as AddressInfo).port}`;
    return runCommand([...args, '--url', url, '--key', 'any']);
  };
  const spoken = () => [
    ...new Set(asked.splice(0).map((headers) => headers['harn-agents-protocol-version'])),
  ];

  it('commands speak the first version, or the one that is asked for', async () => {
    for (const [version, options] of [
      [OLDER, []],
      [OLDER, ['--protocol-version', OLDER]],
      [NEWER, ['--protocol-version', NEWER]],
    ] as const) {
      const submitted = await run('task', 'hello', ...options);
      expect(submitted.code, submitted.err).toBe(0);
      for (const command of [['task', 'list'], ['agents']])
        expect((await note(...command, ...options)).code).toBe(0);
      expect(spoken()).toEqual([version]);
    }
  });

  it('a version that is not spoken is a fault of usage that names those that are', async () => {
    const { code, err } = await note('task', 'list', '--protocol-version', 'agents-protocol-2027-01-01');
    expect(code).toBe(2);
    for (const version of [OLDER, NEWER]) expect(err).toContain(version);
    expect(spoken()).toEqual([]);
  });

  it('openapi prints the document of a version', async () => {
    for (const [version, options] of [
      [OLDER, []],
      [NEWER, ['--protocol-version', NEWER]],
    ] as const) {
      const { out } = await runCommand(['openapi', ...options]);
      expect(JSON.parse(out)).toMatchObject({ info: { version } });
    }
  });
});
