import { type ChildProcess, fork } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, READY_ID, type Told, type Usage } from './commands.ts';
import { scratchDirectory } from './scratch-directory.ts';

const STOP_TIMEOUT_MS = 20_000;
const running = new Set<Child<unknown>>();

export interface ChildOptions {
  /** Argument object, read with `startArguments`. */
  args?: unknown;
  /** CPU profile of the process, written there when it stops. */
  profileDir?: string | undefined;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A measured process: started from a module of this folder, asked over IPC, stopped by letting go of it. */
export class Child<Ready> {
  /** What it said when it began to serve. */
  readonly ready: Promise<Ready>;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #nextId = READY_ID + 1;

  constructor(module: string, { args, profileDir }: ChildOptions = {}) {
    const log = openSync(join(scratchDirectory(), `${module}.stderr`), 'a');
    this.#process = fork(new URL(`./${module}.js`, import.meta.url), [JSON.stringify(args ?? {})], {
      execArgv: ['--expose-gc', ...profileFlags(module, profileDir)],
      stdio: ['ignore', log, log, 'ipc'],
    });
    this.ready = this.#wait(READY_ID) as Promise<Ready>;
    this.#exited = new Promise((resolve) => this.#process.once('exit', () => resolve()));
    this.#process.on('message', (told: Told) => this.#take(told));
    this.#process.once('exit', (code, signal) =>
      this.#fail(`${module} ended (${code ?? signal}), see its stderr`),
    );
    running.add(this);
  }

  ask<T = unknown>(name: string, args?: unknown): Promise<T> {
    const id = this.#nextId++;
    this.#process.send({ id, name, args } satisfies Ask);
    return this.#wait(id) as Promise<T>;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>('usage');
  }

  /** CPU time of this process while the work runs, microseconds. */
  async cpuOf(work: () => Promise<unknown>): Promise<number> {
    const before = await this.usage();
    await work();
    return (await this.usage()).cpuUs - before.cpuUs;
  }

  /** Lets it close in good order; kills it, and only it, when it does not. */
  async stop(): Promise<void> {
    running.delete(this);
    if (this.#process.exitCode !== null) return;
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    running.delete(this);
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  #wait(id: number): Promise<unknown> {
    const promise = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Whoever waits is told; a process that ends while nobody waits is no unhandled rejection.
    promise.catch(() => undefined);
    return promise;
  }

  #take(told: Told): void {
    const waiting = this.#waiting.get(told.id);
    this.#waiting.delete(told.id);
    if ('error' in told) waiting?.reject(new Error(told.error));
    else waiting?.resolve(told.value);
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}

/** Runs `work` with a started process and stops it whatever happens. */
export async function withChild<Ready, T>(
  module: string,
  options: ChildOptions,
  work: (child: Child<Ready>, ready: Ready) => Promise<T>,
): Promise<T> {
  const child = new Child<Ready>(module, options);
  try {
    return await work(child, await child.ready);
  } finally {
    await child.stop();
  }
}

/** For the end of the bench, also when it breaks. */
export async function stopChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop()));
}

function profileFlags(module: string, dir: string | undefined): string[] {
  return dir === undefined
    ? []
    : ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${module}-${Date.now()}.cpuprofile`];
}
