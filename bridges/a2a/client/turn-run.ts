import type { Frame, Turn } from '#upstream.ts';
import type { Timers } from '../../bridge.ts';
import { refuseOverlong } from './bounds.ts';
import { type Ask, type Conversation, exchange, type Wire } from './connection.ts';
import type { Discovery } from './discovery.ts';
import { Fault, faultOf } from './faults.ts';
import type { Target } from './interfaces.ts';
import type { LearnedStreaming } from './learned-streaming.ts';
import { Progress } from './progress.ts';
import { type A2aRecord, type Reading, ReadRecord, readRecord, toFrameBody } from './record.ts';
import { References } from './references.ts';
import { Watchdog } from './watchdog.ts';

/** What all turns of an upstream share. */
export interface TurnPorts {
  wire: Wire;
  discovery: Discovery;
  timers: Timers;
  learned: LearnedStreaming;
}

/** One turn under way: where it talks, how far it is, and how frames are made. */
export class TurnRun {
  readonly ports: TurnPorts;
  readonly turn: Turn;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly target: Target;
  readonly #references: References;
  #watchdog: Watchdog | undefined;

  constructor(ports: TurnPorts, turn: Turn, target: Target, signal: AbortSignal) {
    this.ports = ports;
    this.turn = turn;
    this.target = target;
    this.signal = signal;
    this.progress = new Progress(turn);
    this.#references = new References(turn);
  }

  get canStream(): boolean {
    return this.target.streaming && !this.ports.learned.isRefused(this.target);
  }

  /** Asks and yields what comes back. Throws Fault only, or the caller's reason. */
  async *ask(ask: Ask): AsyncGenerator<{ record: A2aRecord; reading: Reading }> {
    const watchdog = new Watchdog(this.signal, this.ports.timers);
    const outer = this.#watchdog;
    this.#watchdog = watchdog;
    const talk: Conversation = {
      target: this.target,
      watchdog,
      traceparent: this.turn.traceparent,
      isTimed: () => !this.progress.awaitsAuth,
    };
    try {
      for await (const record of exchange(ask, this.ports.wire, talk)) {
        const reading = readRecord(record);
        const tasks = await this.#references.knownIn(reading, this.progress.taskId);
        yield { record: tasks === undefined ? record : { ...record, tasks }, reading };
      }
    } catch (error) {
      throw watchdog.signal.aborted ? watchdog.signal.reason : faultOf(error);
    } finally {
      watchdog.close();
      this.#watchdog = outer;
    }
  }

  /**
   * True when the agent was only silent (`error`) and its task waits as it did before the message: that is its answer then. A
   * person can answer again; a failed task nobody can.
   */
  waitsOn(error: unknown): boolean {
    if (!this.progress.stands || !(error instanceof Fault) || error.details['timeout'] !== 'idle')
      return false;
    this.progress.takeAsAnswer();
    return true;
  }

  /**
   * The frame of a record, which the progress takes note of. After the last one the caller lets go of the turn; that
   * must not cut the connection, which is free for the next. Throws Fault for ids that cannot be kept.
   */
  take(record: A2aRecord, reading: Reading): Frame {
    refuseOverlong(reading);
    const stood = this.progress.note(reading, record.operation);
    if (this.progress.isSettled) this.#watchdog?.close();
    const noted = stood ? { ...record, stood } : record;
    return { kind: 'message', body: toFrameBody(noted), read: new ReadRecord(noted, reading) };
  }
}
