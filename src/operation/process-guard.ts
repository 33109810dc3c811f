import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Logger } from '../protocol/ports.ts';

/**
 * Ends process groups that would outlive this process, also when it is killed and can do nothing any more: a small process
 * beside it holds the other end of a pipe, and ends the groups when the pipe breaks. It runs only while there is a group.
 */
export class ProcessGuard {
  readonly #program: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;

  /** `program`: file of `process-guard-main`. */
  private constructor(program: string, logger: Pick<Logger, 'warn'>) {
    this.#program = program;
    this.#logger = logger;
  }

  static ofPackage(packageRoot: string, logger: Pick<Logger, 'warn'>): ProcessGuard {
    return new ProcessGuard(join(packageRoot, 'dist', 'src', 'operation', 'process-guard-main.js'), logger);
  }

  /** Takes a group on, by the id of its leader, as soon as it is started. */
  watch(group: number): void {
    this.#groups.add(group);
    if (this.#child === undefined) this.#start();
    else this.#child.stdin?.write(`+${group}\n`);
  }

  /** The group is gone. */
  release(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#child?.stdin?.write(`-${group}\n`);
    if (this.#groups.size > 0) return;
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #start(): void {
    const child = spawn(process.execPath, [this.#program], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      detached: true,
    });
    this.#child = child;
    child.once('error', (error) => this.#lost(child, error.message));
    child.once('exit', (code) => this.#lost(child, `it ended with code ${code}`));
    // A pipe that breaks is told by the end of the process.
    child.stdin.on('error', () => undefined);
    child.stdin.write([...this.#groups].map((group) => `+${group}\n`).join(''));
    // Work is waited for, not its guard.
    child.unref();
  }

  /** The next group brings a new guard, which watches the others too. */
  #lost(child: ChildProcess, why: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#logger.warn({ why }, 'the process guard is gone');
  }
}
