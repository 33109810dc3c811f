import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ENV_ALLOWED, FIXED_LIMITS } from './config.ts';
import { Fault, gone } from './fault.ts';
import { LineReader } from './line-reader.ts';
import type { AgentWire, WireListener, WireSettings } from './wire.ts';

/** Starts an agent in a process group of its own. It ends with its standard input, then by signals to the whole group. */
export function openProcess(
  settings: WireSettings,
  [program = '', ...args]: readonly string[],
  listener: WireListener,
): AgentWire {
  const { config, limits, deps } = settings;
  const cwd = config.cwd === undefined ? {} : { cwd: config.cwd };
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: environmentOf(settings),
    ...cwd,
  });
  const tail = new Tail();
  const end = once((why: Fault) => listener.ended(why));
  const wire = new ProcessWire(child, settings);
  const lines = new LineReader(
    limits.max_frame_bytes,
    (text) => listener.text(text),
    () => {
      const message = `The agent sent a message of more than ${limits.max_frame_bytes} bytes.`;
      end(new Fault('payload_too_large', message, { max_bytes: limits.max_frame_bytes }));
      void wire.close();
    },
  );
  child.stdout.on('data', (chunk: Buffer) => lines.take(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    tail.take(chunk.toString('utf8'));
    deps.logger.debug({ agent: config.id, line: chunk.toString('utf8').slice(0, 500) }, 'agent');
  });
  // A pipe that breaks is told by the end of the process.
  child.stdin.on('error', () => undefined);
  child.once('error', (error: NodeJS.ErrnoException) => end(notStarted(error)));
  child.once('close', (code, signal) => end(died(code, signal, tail.text)));
  return wire;
}

class ProcessWire implements AgentWire {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #settings: WireSettings;
  readonly #over: Promise<void>;
  #isOver = false;
  #closing: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, settings: WireSettings) {
    this.#child = child;
    this.#settings = settings;
    this.#over = new Promise((resolve) => {
      const over = () => {
        this.#isOver = true;
        resolve();
      };
      child.once('close', over);
      child.once('error', over);
    });
  }

  send(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${text}\n`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#child.stdin.end();
    await this.#overWithin(FIXED_LIMITS.stdinEndMs);
    if (!this.#isOver) this.#signal('SIGTERM');
    await this.#overWithin(FIXED_LIMITS.terminateMs);
    // Also when the agent itself has ended: what it started is in its group.
    this.#signal('SIGKILL');
    if (this.#child.pid !== undefined) await this.#over;
  }

  #overWithin(ms: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const { timers } = this.#settings.deps;
    return new Promise((resolve) => {
      const timer = timers.setTimeout(resolve, ms);
      void this.#over.then(() => {
        timers.clearTimeout(timer);
        resolve();
      });
    });
  }

  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH') this.#settings.deps.logger.warn({ code }, 'an agent could not be ended');
    }
  }
}

/** The newest of what was said on standard error. */
class Tail {
  text = '';
  take(more: string): void {
    this.text = (this.text + more).slice(-FIXED_LIMITS.stderrTailChars);
  }
}

function environmentOf({ config, deps }: WireSettings): Record<string, string> {
  const passed = ENV_ALLOWED.flatMap((name) => {
    const value = deps.environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const given = Object.entries(config.env ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : deps.readSecret(value)] as const,
  );
  return Object.fromEntries([...passed, ...given]);
}

function notStarted({ code }: NodeJS.ErrnoException): Fault {
  return gone('not_started', 'The program of the agent could not be started.', { code: code ?? 'unknown' });
}

function died(code: number | null, signal: NodeJS.Signals | null, stderr: string): Fault {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return gone('exited', `The agent ended ${how}.`, {
    exit_code: code,
    signal,
    ...(stderr === '' ? {} : { stderr_tail: stderr }),
  });
}

function once<T>(run: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    run(value);
  };
}
