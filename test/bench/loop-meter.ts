import { openSync, readSync } from 'node:fs';

/** What held the event loop longest while it was watched, milliseconds. */
export interface Held {
  /** CPU of the main thread within one turn: what others do on the machine is not in it. Linux; elsewhere the same as `wallMs`. */
  cpuMs: number;
  wallMs: number;
  /** Turns that took more than 50 ms of CPU. */
  longTurns: number;
}

const LONG_MS = 50;
const TEXT = Buffer.alloc(64);

/** Looks at every turn of the event loop of this process, which is busy with that meanwhile. */
export class LoopMeter {
  readonly #stat = statFile();
  #held: Held = { cpuMs: 0, wallMs: 0, longTurns: 0 };
  #isOn = false;
  #cpuMs = 0;
  #wallMs = 0;

  begin(): void {
    this.#held = { cpuMs: 0, wallMs: 0, longTurns: 0 };
    this.#isOn = true;
    this.#mark();
    setImmediate(this.#turn);
  }

  /** The longest turn since `begin`, the one that asks not among them. */
  end(): Held {
    this.#isOn = false;
    return this.#held;
  }

  readonly #turn = (): void => {
    if (!this.#isOn) return;
    const [cpuBefore, wallBefore] = [this.#cpuMs, this.#wallMs];
    this.#mark();
    const cpuMs = this.#cpuMs - cpuBefore;
    const wallMs = this.#wallMs - wallBefore;
    const { longTurns } = this.#held;
    this.#held = {
      cpuMs: Math.max(this.#held.cpuMs, cpuMs),
      wallMs: Math.max(this.#held.wallMs, wallMs),
      longTurns: longTurns + (cpuMs > LONG_MS ? 1 : 0),
    };
    setImmediate(this.#turn);
  };

  #mark(): void {
    this.#wallMs = performance.now();
    this.#cpuMs = this.#stat === undefined ? this.#wallMs : onCpuMs(this.#stat);
  }
}

/** What the scheduler says of the main thread, whose id is that of the process. */
function statFile(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return undefined;
  }
}

function onCpuMs(file: number): number {
  const length = readSync(file, TEXT, 0, TEXT.length, 0);
  return Number(TEXT.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}
