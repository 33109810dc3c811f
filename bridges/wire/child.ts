import { type ChildProcess, spawn } from 'node:child_process';
import type { JsonObject } from '#protocol/json.ts';
import type { ChildGuard, Timers } from '../bridge.ts';
import { KeyBlocks } from './key-block.ts';
import { LineSplitter } from './line-splitter.ts';
import { isDoneWithin } from './waits.ts';

export interface ChildOptions {
  /** Program and arguments; no shell reads them. They come from the operator's configuration, never from a caller. */
  command: readonly string[];
  /** The whole environment of the child. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  timers: Timers;
  guard: ChildGuard;
  /** Longest line it may write; the child is killed when one is longer. */
  maxLineBytes: number;
  onLine(line: string): void;
  /** Called before it is killed for a line that is too long. */
  onOverlong?(): void;
  /** A line of its standard error, at most 500 characters, without private keys; only the first ones of a flood are reported. */
  onNoise(line: string): void;
}

export interface Child {
  readonly pid: number | undefined;
  /** Writes one line; resolves when it may write more. Rejects when the child is gone. */
  send(line: string): Promise<void>;
  /** Resolves when the child is gone and its output read. */
  readonly ended: Promise<ChildEnd>;
  /** Ends it in three steps: standard input closed, the group asked to end, the group killed. Safe to call again. */
  close(): Promise<void>;
}

/** How a child ended. */
export interface ChildEnd {
  /** In words for the log. */
  why: string;
  /** Error code when it could not be started at all. */
  notStarted?: string;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** What it said last on standard error, at most 1,000 characters, without private keys. */
  lastWords: string;
}

/** What the fault of a child that has ended says besides its words. */
export function detailsOfEnd({ exitCode, signal, lastWords }: ChildEnd): JsonObject {
  return { exit_code: exitCode, signal, ...(lastWords === '' ? {} : { stderr_tail: lastWords }) };
}

/** How long each step of ending a child may take; some agents need 2 s after the end of their input. */
const GRACE_MS = { input: 3_000, terminate: 2_000 } as const;
const LAST_WORDS_CHARS = 1_000;
/** Lines of standard error that are reported per child; the rest is read away, so that it never blocks. */
const MAX_NOISE_LINES = 200;
const NOISE_CHARS = 500;
const MAX_NOISE_BYTES = 64 * 1024;

/**
 * Starts a program that speaks lines on its standard streams, as the leader of a process group of its own, so that what
 * it starts ends with it. Never throws: a program that cannot be started ends at once.
 */
export function startChild(options: ChildOptions): Child {
  const [program = '', ...args] = options.command;
  const spawned = spawn(program, args, {
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return new SupervisedChild(spawned, options);
}

class SupervisedChild implements Child {
  readonly ended: Promise<ChildEnd>;
  readonly #process: ChildProcess;
  readonly #timers: Timers;
  #lastWords = '';
  #closing: Promise<void> | undefined;

  constructor(process: ChildProcess, options: ChildOptions) {
    this.#process = process;
    this.#timers = options.timers;
    this.ended = this.#end();
    this.#read(options);
    const { pid } = process;
    if (pid === undefined) return;
    options.guard.watch(pid);
    process.once('exit', () => {
      // Whatever a dead leader left behind in its group goes too.
      signalGroup(process, 'SIGKILL');
      options.guard.release(pid);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(line: string): Promise<void> {
    const { stdin } = this.#process;
    return new Promise((resolve, reject) => {
      if (!stdin?.writable) return reject(new Error('The process takes no input any more.'));
      stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#process.stdin?.end();
    if (await isDoneWithin(this.ended, GRACE_MS.input, this.#timers)) return;
    signalGroup(this.#process, 'SIGTERM');
    if (await isDoneWithin(this.ended, GRACE_MS.terminate, this.#timers)) return;
    signalGroup(this.#process, 'SIGKILL');
    await this.ended;
  }

  /** `close` would wait for whoever inherited the pipes; after `exit` the group is killed, so that it comes. */
  #end(): Promise<ChildEnd> {
    const child = this.#process;
    return new Promise((resolve) => {
      const end = (why: string, more: Partial<ChildEnd>) =>
        resolve({ why, exitCode: null, signal: null, lastWords: this.#lastWords, ...more });
      child.once('error', (error) => {
        const notStarted = codeOf(error);
        if (child.pid === undefined) end(`it could not be started (${notStarted})`, { notStarted });
      });
      child.once('close', (exitCode, signal) =>
        end(signal === null ? `it ended with code ${exitCode}` : `it was ended by ${signal}`, {
          exitCode,
          signal,
        }),
      );
    });
  }

  #read({ maxLineBytes, onLine, onNoise, onOverlong }: ChildOptions): void {
    const { stdin, stdout, stderr } = this.#process;
    // A child that ends while it is written to is seen by its exit.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => undefined);
    const lines = new LineSplitter(maxLineBytes, onLine, () => {
      onOverlong?.();
      signalGroup(this.#process, 'SIGKILL');
    });
    stdout?.on('data', (bytes: Buffer) => lines.take(bytes));
    let reported = 0;
    const keys = new KeyBlocks();
    const report = (line: string) => {
      const clean = keys.clean(line);
      this.#lastWords = `${this.#lastWords}${clean}\n`.slice(-LAST_WORDS_CHARS);
      reported += 1;
      if (reported <= MAX_NOISE_LINES) onNoise(clean.slice(0, NOISE_CHARS));
    };
    const noise = new LineSplitter(MAX_NOISE_BYTES, report, () => undefined);
    stderr?.on('data', (bytes: Buffer) => noise.take(bytes));
    // Last words often end without a line end.
    stderr?.on('end', () => noise.end());
  }
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}

/** A group without members is no error: that is how it should be. */
function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
