import type { JsonMend, JsonObject } from '#protocol/json.ts';
import type { Frame } from '#upstream.ts';
import { FIXED_LIMITS } from './config.ts';
import { type AcpRecord, frameOf, updateRecord } from './record.ts';

/**
 * Takes what an agent says while no prompt runs, with the task whose prompt was the last one in its session; resolves when it
 * is recorded.
 */
export type Overhear = (taskId: string, frame: Frame) => Promise<void>;

/**
 * What an agent says in a session while no prompt runs there. It is told at once in the task of the prompt before; what comes
 * before the first one, or while the next one is prepared, is told with that. There is a limit to it, as there is to a turn.
 */
export class BetweenTurns {
  readonly #maxBytes: number;
  readonly #overhear: Overhear;
  #early: AcpRecord[] = [];
  #isHeld = false;
  #told: Promise<void> = Promise.resolve();
  #updates = 0;
  #bytes = 0;

  constructor(maxBytes: number, overhear: Overhear) {
    this.#maxBytes = maxBytes;
    this.#overhear = overhear;
  }

  /** `taskId`: of the prompt before; undefined when there was none. */
  take(taskId: string | undefined, message: JsonObject, bytes: number, mended: JsonMend[]): void {
    const wasHeard = this.#isWithin();
    this.#updates += 1;
    this.#bytes += bytes;
    if (!wasHeard) return;
    const max = { max_updates: FIXED_LIMITS.betweenTurns, max_bytes: this.#maxBytes };
    const record: AcpRecord = this.#isWithin()
      ? { ...updateRecord(message, mended), between_turns: true }
      : { op: 'unheard', ...max };
    if (taskId === undefined || this.#isHeld) this.#early.push(record);
    else this.#tell(taskId, record);
  }

  /** A prompt is prepared. Resolves when what was said before is recorded: the log has it in that order. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await this.#told;
  }

  /** There is no prompt after all. */
  release(taskId: string | undefined): void {
    this.#isHeld = false;
    if (taskId !== undefined) for (const record of this.#early.splice(0)) this.#tell(taskId, record);
  }

  /** A prompt begins: what goes before it. */
  end(): AcpRecord[] {
    this.#isHeld = false;
    this.#updates = 0;
    this.#bytes = 0;
    return this.#early.splice(0);
  }

  #tell(taskId: string, record: AcpRecord): void {
    this.#told = this.#overhear(taskId, frameOf(record));
  }

  #isWithin(): boolean {
    return this.#updates <= FIXED_LIMITS.betweenTurns && this.#bytes <= this.#maxBytes;
  }
}
