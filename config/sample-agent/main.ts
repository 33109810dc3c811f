import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { SampleExecutor } from './executor.ts';
import { sampleAgentApp } from './server.ts';

/** Serves the agent on 127.0.0.1, on a free port or on that of `--port`, until it is told to stop or its stdin ends. */
async function run(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
  const server = createServer().listen(Number(values.port), '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', sampleAgentApp(url, new SampleExecutor()));
  const stop = () => process.exit(0);
  // The parent holds our stdin open while it lives: its end, even by kill -9, ends us.
  process.stdin.resume().once('close', stop).once('end', stop);
  process.once('SIGTERM', stop).once('SIGINT', stop);
  console.log(JSON.stringify({ event: 'ready', url, pid: process.pid }));
}

void run();
