import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServedRun {
  /** From the start of the process to its ready line. */
  readyMs: number;
  /** Of the process right after the ready line. */
  rssBytes: number;
}

/** `serve` as users start it. */
export interface Served {
  url: string;
  pid: number;
  /** From the start of the process to its ready line. */
  readyMs: number;
  /** Stops it in good order. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts `serve`; undefined for the default configuration. */
export async function startServe(config: string | undefined, data: string): Promise<Served> {
  const main = join(import.meta.dirname, '..', '..', 'bundle', 'main.js');
  const flags = ['--port', '0', '--data', data, ...(config === undefined ? [] : ['--config', config])];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'serve', '--unlisted', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const readyMs = performance.now() - startedAt;
    const said = JSON.parse(line) as { event?: string; url: string };
    if (said.event !== 'ready') break;
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exited;
    };
    const ends = { stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
    return { url: said.url, pid: child.pid ?? 0, readyMs, ...ends };
  }
  child.kill('SIGKILL');
  throw new Error('The gateway ended before its ready line.');
}

/** Starts `serve`, takes the time to the ready line, and stops it. */
export async function timeServe(config: string | undefined, data: string): Promise<ServedRun> {
  const { pid, readyMs, stop } = await startServe(config, data);
  const rssBytes = rssOf(pid);
  await stop();
  return { readyMs, rssBytes };
}

/** Resident memory of each process of the tree below and with this one, bytes, by its command line. Linux alone. */
export function rssOfTree(root: number): { command: string; rssBytes: number }[] {
  const processes = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    const parent = /^\d+$/.test(name) ? parentOf(pid) : undefined;
    return parent === undefined ? [] : [{ pid, parent }];
  });
  const below = (pid: number): number[] => [
    pid,
    ...processes.filter(({ parent }) => parent === pid).flatMap((child) => below(child.pid)),
  ];
  return below(root).map((pid) => ({
    command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
    rssBytes: rssOf(pid),
  }));
}

/** Undefined for a process that has ended since it was listed. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
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

/** Resident memory of one process, bytes. Linux alone. */
export function rssOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/);
  return Number(line?.[1] ?? Number.NaN) * 1024;
}
