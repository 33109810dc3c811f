import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '#protocol/ports.ts';

/** Time the bundled agent may take to say that it is ready. */
const READY_TIMEOUT_MS = 15_000;

/**
 * The bundled sample agent, in a process of its own on a free port. It ends with its standard input, so it never outlives the
 * gateway, not even a killed one.
 */
export class SampleAgentProcess {
  /** Where it listens (`host:port`); undefined while it does not run. */
  host: string | undefined;
  readonly #entry: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #logger: Logger;
  #child: ChildProcess | undefined;
  #starting: Promise<string> | undefined;
  #isClosed = false;

  constructor(entry: string, env: Readonly<Record<string, string | undefined>>, logger: Logger) {
    this.#entry = entry;
    this.#env = env;
    this.#logger = logger;
  }

  /**
   * Starts it and says where it listens; also when it did run and has ended. Rejects with an error whose message says why it does
   * not come up; the next call tries again.
   */
  start(): Promise<string> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Takes it down; it is not started any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    await ended;
  }

  async #start(): Promise<string> {
    try {
      if (this.#isClosed) throw new Error('the gateway is shutting down');
      return await this.#spawned();
    } catch (error) {
      this.#starting = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The bundled sample agent did not start: ${reason}.`, { cause: error });
    }
  }

  #spawned(): Promise<string> {
    const child = spawn(process.execPath, [this.#entry, '--port', '0'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: this.#env['PATH'] ?? '' },
    });
    this.#child = child;
    // A pipe that breaks shows in the end of the process.
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stderr }).on('line', (line) =>
      this.#logger.warn({ line: line.slice(0, 500) }, 'sample agent'),
    );
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`it was not ready within ${READY_TIMEOUT_MS} ms`));
      }, READY_TIMEOUT_MS);
      const gone = (reason: string) => {
        clearTimeout(late);
        this.#ended(child, reason);
        reject(new Error(reason));
      };
      child.once('error', (error) => gone(error.message));
      child.once('exit', (code, signal) => gone(`it ended with ${code === null ? signal : `code ${code}`}`));
      createInterface({ input: child.stdout }).once('line', (line) => {
        clearTimeout(late);
        try {
          this.host = new URL((JSON.parse(line) as { url: string }).url).host;
          resolve(this.host);
        } catch {
          child.kill('SIGKILL');
          reject(new Error('its first line of output does not say where it listens'));
        }
      });
    });
  }

  /** The next call starts another one. */
  #ended(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#starting = undefined;
    this.host = undefined;
    if (!this.#isClosed) this.#logger.warn({ reason }, 'the sample agent has ended');
  }
}
