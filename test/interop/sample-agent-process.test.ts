import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';

// Made by `npm run build`, which `npm test` runs first.
const MAIN = new URL('../../dist/bundle/sample-agent.js', import.meta.url).pathname;

let child: ChildProcessWithoutNullStreams | undefined;

afterEach(() => child?.kill('SIGKILL'));

async function start(): Promise<{ child: ChildProcessWithoutNullStreams; ready: Record<string, unknown> }> {
  const started = spawn(process.execPath, [MAIN, '--port', '0']);
  child = started;
  const ended = once(started, 'exit').then(([code]) => {
    throw new Error(`The sample agent ended with ${code} before it was ready; run npm run build first.`);
  });
  const [line] = await Promise.race([once(createInterface(started.stdout), 'line'), ended]);
  return { child: started, ready: JSON.parse(String(line)) };
}

describe('the sample agent as a process', () => {
  it('says on one line that it is ready, on a free loopback port', async () => {
    const { child, ready } = await start();
    expect(ready).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: child.pid,
    });
    const card = await fetch(`${ready['url']}/.well-known/agent-card.json`);
    expect(card.status).toBe(200);
  });

  it('ends when its stdin closes, as it does when the parent dies', async () => {
    const { child } = await start();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends on SIGTERM', async () => {
    const { child } = await start();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
