import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the package, from the sources as well as from `dist`. */
export const PACKAGE_ROOT = import.meta.url.includes('/dist/')
  ? fileURLToPath(new URL('../../../', import.meta.url))
  : fileURLToPath(new URL('../../', import.meta.url));

/** The built program: the bundle, which is what people run, and starts in a third of the time of its modules. */
export const PROGRAM = `${PACKAGE_ROOT}dist/bundle/main.js`;

/** Gateways of tests leave their addresses here, and not among those of who runs the tests. */
const STATE_HOME = join(tmpdir(), 'harn-test-state');

const open = new Set<ChildProcess>();

export interface Output {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A child of this process whose output is kept; none outlives `killChildren`. */
export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Output>;
  stdout = '';
  stderr = '';
  readonly #wakes = new Set<() => void>();
  #isOver = false;

  /** `program`: another Node than this one. */
  constructor(
    args: readonly string[],
    env: Record<string, string | undefined> = {},
    program = process.execPath,
  ) {
    this.process = spawn(program, [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], XDG_STATE_HOME: STATE_HOME, ...env },
    });
    open.add(this.process);
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = this.#follow();
  }

  /** The first line of standard output; undefined when the process ended without one. */
  async firstLine(): Promise<string | undefined> {
    while (!this.stdout.includes('\n') && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wakes.add(resolve);
      });
    return this.stdout.includes('\n') ? this.stdout.slice(0, this.stdout.indexOf('\n')) : undefined;
  }

  /** Whether a line of standard output had this text, once it came; false when the process ended without. */
  async said(text: string): Promise<boolean> {
    while (!this.stdout.includes(text) && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wakes.add(resolve);
      });
    return this.stdout.includes(text);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Output> {
    this.process.kill(signal);
    return this.ended;
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  async #follow(): Promise<Output> {
    const [code, signal] = (await once(this.process, 'close')) as [number | null, NodeJS.Signals | null];
    open.delete(this.process);
    this.#isOver = true;
    this.#wake();
    return { code, signal, stdout: this.stdout, stderr: this.stderr };
  }
}

/** Runs a command of the program to its end. */
export function runProgram(...args: readonly string[]): Promise<Output> {
  return new Child([PROGRAM, ...args]).ended;
}

/** Ends every child that is left; for the end of a test and of the torture run. */
export function killChildren(): void {
  for (const child of open) child.kill('SIGKILL');
}
