import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServedRun {
  /** From the start of the process to its ready line. */
  readyMs: number;
  /** Of the process right after the ready line. */
  rssBytes: number;
}

/** Starts `serve` as users do, takes the time to the ready line, and stops it in good order. */
export async function timeServe(config: string | undefined, data: string): Promise<ServedRun> {
  const main = join(import.meta.dirname, '..', '..', 'bundle', 'main.js');
  const flags = ['--port', '0', '--data', data, ...(config === undefined ? [] : ['--config', config])];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const readyMs = performance.now() - startedAt;
    if ((JSON.parse(line) as { event?: string }).event !== 'ready') break;
    const rssBytes = rssOf(child.pid ?? 0);
    child.kill('SIGTERM');
    await exited;
    return { readyMs, rssBytes };
  }
  child.kill('SIGKILL');
  throw new Error('The gateway ended before its ready line.');
}

/** Milliseconds a Node process takes to start and do nothing. */
export async function timeEmptyNode(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['-e', 'console.log(1)'], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const tookMs = performance.now() - startedAt;
  await new Promise((resolve) => child.once('exit', resolve));
  return tookMs;
}

function rssOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/);
  return Number(line?.[1] ?? Number.NaN) * 1024;
}
