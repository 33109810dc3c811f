import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// The built program, as a first user starts it. `npm test` builds before it runs.
const PROGRAM = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

let folder: string;
let data: string;
let gateway: ChildProcessByStdio<null, Readable, Readable>;
let output: string[];
let log: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'harn-fresh-start-'));
  data = join(folder, 'data');
  output = [];
  log = '';
  gateway = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HARN_GATEWAY_PORT: '0', HARN_GATEWAY_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const lines = createInterface({ input: gateway.stdout }).on('line', (line) => output.push(line));
  await Promise.race([once(lines, 'line'), once(gateway, 'exit')]);
});

afterAll(async () => {
  if (gateway.exitCode === null && gateway.signalCode === null) {
    gateway.kill('SIGKILL');
    await once(gateway, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

describe('a fresh start without a configuration', () => {
  it('says on standard output that it is ready, and where', () => {
    expect(output, log).toHaveLength(1);
    expect(JSON.parse(output[0] ?? '')).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/),
      pid: gateway.pid,
      data,
    });
  });

  it('answers /health and /ready', async () => {
    const { url } = JSON.parse(output[0] ?? '');
    for (const path of ['/health', '/ready']) expect((await fetch(`${url}${path}`)).status, path).toBe(200);
  });

  it('keeps the development key for its owner alone', async () => {
    expect((await stat(join(data, 'dev-api-key'))).mode & 0o777).toBe(0o600);
  });

  it('ends on SIGTERM with exit code 0 and nothing more on standard output', async () => {
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect(await ended, log).toEqual([0, null]);
    expect(output).toHaveLength(1);
  });
});
