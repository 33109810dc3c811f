import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { GatewayState } from '#compose/compose.ts';
import type { Logger } from '#protocol/ports.ts';
import { EXIT } from './exit-codes.ts';

/** Between the end of a gateway and its next start: what ended in order, what did not and for how long at most. */
const AGAIN_MS = 100;
const AFTER_FAULT_MS = 500;
const AT_MOST_MS = 10_000;
/** One that ran for so long is no faulty start. */
const SOUND_MS = 30_000;
/** What a gateway may take beyond its limit for draining, to close what is behind: one that takes longer is stuck. */
const CLOSING_MS = 5_000;

/** What a gateway says on its standard output when it waits, or decides. */
const STATE_LINE = /^\{"event":"(waiting|ready)","url":"([^"]+)"(?:,"grpc":"[^"]+","grpc_port":(\d+))?/;

export interface PartitionProcessesParts {
  /** Words of the command line after the program. */
  argumentsOf(partition: string): string[];
  logger: Logger;
  /** Called with what the gateway of a partition does. */
  onState(partition: string, state: GatewayState): void;
}

/** What a node says to the gateway of a partition: end, and let the node of this origin decide next. */
export interface HandOver {
  handOver: string;
}

interface Running {
  child: ChildProcess;
  startedMs: number;
  /** Whether it has said what it does: before, SIGHUP would end it. */
  hasSpoken: boolean;
  /** It reads its configuration again as soon as it has. */
  isReloadDue: boolean;
}

/**
 * The gateways of a node, a process for each partition. One that ends is started again: it waits for its turn to decide. They end with
 * this process, also when it is killed.
 */
export class PartitionProcesses {
  readonly #parts: PartitionProcessesParts;
  readonly #running = new Map<string, Running>();
  readonly #faults = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(parts: PartitionProcessesParts) {
    this.#parts = parts;
  }

  start(partition: string): void {
    const { argumentsOf, logger, onState } = this.#parts;
    const words = [...process.execArgv, process.argv[1] ?? '', ...argumentsOf(partition)];
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: process.env,
    });
    const running: Running = {
      child,
      startedMs: performance.now(),
      hasSpoken: false,
      isReloadDue: false,
    };
    this.#running.set(partition, running);
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const said = STATE_LINE.exec(line);
        if (said !== null) spoke(running);
        if (said?.[1] === 'waiting') onState(partition, { kind: 'waits' });
        else if (said !== null)
          onState(partition, { kind: 'decides', url: said[2] ?? '', grpcPort: Number(said[3] ?? 0) });
      });
    child.once('error', (error) => {
      logger.error({ err: error, partition }, 'the gateway of a partition does not start');
      // Without a process nothing else ends.
      if (child.pid === undefined) this.#ended(partition, null, null);
    });
    child.once('exit', (code, signal) => {
      onState(partition, { kind: 'ended' });
      this.#ended(partition, code, signal);
    });
  }

  #ended(partition: string, code: number | null, signal: string | null): void {
    const before = this.#running.get(partition);
    this.#running.delete(partition);
    if (this.#isClosed) return;
    const isInOrder = code === EXIT.fine || code === EXIT.dataInUse;
    const ran = performance.now() - (before?.startedMs ?? 0);
    const faults = isInOrder || ran > SOUND_MS ? 0 : (this.#faults.get(partition) ?? 0) + 1;
    this.#faults.set(partition, faults);
    const delayMs = faults === 0 ? AGAIN_MS : Math.min(AT_MOST_MS, AFTER_FAULT_MS * 2 ** (faults - 1));
    this.#parts.logger[isInOrder ? 'info' : 'error'](
      { partition, code, signal, again_in_ms: delayMs },
      'the gateway of a partition has ended and is started again',
    );
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.start(partition);
    }, delayMs);
    this.#timers.add(timer);
  }

  /** Lets the gateway of a partition end, and another node decide next. */
  handOver({ partition, to }: { partition: string; to: string }): void {
    const child = this.#running.get(partition)?.child;
    if (child?.connected)
      child.send({ handOver: to } satisfies HandOver, (error) => {
        if (error !== null)
          this.#parts.logger.warn({ err: error, partition }, 'a partition is not handed over');
      });
  }

  /** Lets each read its configuration again. */
  reload(): void {
    for (const running of this.#running.values()) {
      if (running.hasSpoken) running.child.kill('SIGHUP');
      else running.isReloadDue = true;
    }
  }

  /** Drains all within a limit, and ends those that are stuck. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#running].map((each) => this.#close(each, drainMs + CLOSING_MS)));
  }

  #close([partition, { child }]: [string, Running], limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#parts.logger.error(
          { partition, limit_ms: limitMs },
          'the gateway of a partition is stuck and is killed',
        );
        child.kill('SIGKILL');
      }, limitMs);
      child.once('exit', () => {
        clearTimeout(late);
        resolve();
      });
      child.kill('SIGTERM');
    });
  }
}

function spoke(running: Running): void {
  running.hasSpoken = true;
  if (running.isReloadDue) running.child.kill('SIGHUP');
  running.isReloadDue = false;
}
