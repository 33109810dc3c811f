import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcRelay } from '#cli/rpc-relay.ts';
import { UnavailableError, unreachable } from '#cli/unreachable.ts';
import { findPackageRoot } from '#config/package-root.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { CERT, KEY } from '../unit/surfaces/tls-fixture.ts';
import { runCommand } from './command-line.ts';

const run = promisify(execFile);
const main = join(findPackageRoot(import.meta.url), 'dist', 'src', 'main.js');

describe('command line: a gateway with a certificate of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-cli-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  let gateway: TestGateway;
  beforeAll(async () => {
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY);
    gateway = await startTestGateway({ config: { server: { port: 0, tls: { cert, key } } } });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const client = () => ['--url', gateway.url, '--key', gateway.client.key];

  it.each([[['agents']], [['status']], [['card', 'show']], [['task', 'hello', '--follow']]])(
    '%j says that it is not trusted, and how to trust it',
    async (command) => {
      const options = command[0] === 'card' ? client().slice(0, 2) : client();
      const { code, out, err } = await runCommand([...command, ...options]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain(`The certificate of ${gateway.url} is not trusted.`);
      expect(err).toContain('NODE_EXTRA_CA_CERTS');
      expect(err).not.toContain('No gateway answers');
    },
  );

  it('so does the MCP server that a client spawns', async () => {
    const written: object[] = [];
    const find = async () => ({ url: gateway.url, key: gateway.client.key });
    const relay = new RpcRelay({ find, write: (message) => written.push(message) });
    await relay.send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await relay.close();
    expect(written).toMatchObject([{ id: 1, error: { message: expect.stringContaining('is not trusted') } }]);
  });

  it('what it says to do is enough', async () => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
    const { stdout } = await run(process.execPath, [main, 'status', ...client()], { env });
    expect(stdout).toContain(`ready at ${gateway.url}`);
  });

  it('names a server without TLS', async () => {
    const plain = await startTestGateway();
    const url = plain.url.replace('http:', 'https:');
    const { code, err } = await runCommand(['status', '--url', url, '--key', 'k']);
    expect([code, err]).toEqual([1, expect.stringContaining('not with TLS')]);
    await plain.close();
  });
});

describe('why a request got no answer', () => {
  const failed = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

  it.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name'],
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is not trusted'],
    ['ENOTFOUND', 'names a host that nobody knows'],
    ['ECONNREFUSED', 'No gateway answers'],
  ])('%s: %s', (code, words) => {
    expect(unreachable('https://gateway.example.com', failed(code)).message).toContain(words);
  });

  it('is worth another try only where nothing answered', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET'])
      expect(unreachable('http://127.0.0.1:1', failed(code))).toBeInstanceOf(UnavailableError);
    for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED'])
      expect(unreachable('https://127.0.0.1:1', failed(code))).not.toBeInstanceOf(UnavailableError);
  });
});
