import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { serveSampleAgent } from './server.ts';

// The composition root of this process: the only place of the sample agent that touches the real clock and ids.
async function run(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
  const agent = await serveSampleAgent({
    port: Number(values.port),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    newId: randomUUID,
    reportError: (error) => console.error(error),
  });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    agent.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  // The parent holds our stdin open while it lives: its end, even by kill -9, ends us.
  process.stdin.resume();
  process.stdin.once('close', stop);
  process.stdin.once('end', stop);
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ event: 'ready', url: agent.url, pid: process.pid })}\n`);
}

void run();
