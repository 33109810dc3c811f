import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame } from '#protocol-client.ts';
import type { Fault } from '../../wire/faults.ts';
import type { Host } from '../host.ts';
import { FIXED_LIMITS } from './config.ts';
import { type PromptParts, PromptTurn } from './prompt-turn.ts';
import { type AcpRecord, frameOf, type RefusedOption, type SessionRecord, updateRecord } from './record.ts';
import type { AgentInputs } from './session-inputs.ts';

/** A session at the agent. It has one prompt at a time. */
export class AgentSession {
  readonly id: string;
  /** While it is loaded, the agent repeats its history: those updates are counted, nothing else. */
  isLoading = false;
  replayed = 0;
  /** Mode and options that were last sent to the agent, so that each is sent once. */
  readonly sent = new Map<string, JsonValue>();
  /** Those that it refused, by name. */
  readonly refused = new Map<string, RefusedOption>();
  /** Modes, models and options it was opened with, as the agent has them. */
  offers: JsonObject = {};
  current: PromptTurn | undefined;
  /** How it was opened, until a prompt is sent in it. */
  news: SessionRecord | undefined;
  /** MCP servers that it was opened with, as text to compare. */
  servers = '[]';
  /** What it was told of the inputs of its Harn Session; undefined where it is to have none. */
  inputs: AgentInputs | undefined;
  /** Names of those that it was said to get in its environment later. */
  lateInputs = '';
  /** Terminals that the agent has at its client. */
  readonly terminals = new Terminals();
  readonly #heardCalls = new Set<string>();
  readonly betweenTurns: BetweenTurns;

  constructor(id: string, betweenTurns: BetweenTurns) {
    this.id = id;
    this.betweenTurns = betweenTurns;
  }

  /** An update as it came, or as it was mended. */
  update(message: JsonObject, bytes: number, mended: JsonMend[]): void {
    if (this.isLoading) this.replayed += 1;
    else if (this.current !== undefined && !this.current.isOver) this.current.update(message, bytes, mended);
    else this.betweenTurns.take(this.current?.taskId, message, bytes, mended);
  }

  /** `known`: what is recorded before the first word of the turn. */
  begin(parts: Omit<PromptParts, 'heardCalls'>, known: readonly AcpRecord[]): PromptTurn {
    const early = this.betweenTurns.end();
    this.news = undefined;
    this.current = new PromptTurn({ ...parts, heardCalls: this.#heardCalls });
    for (const record of [...known, ...early]) this.current.frames.push(frameOf(record));
    return this.current;
  }

  fail(fault: Fault): void {
    this.current?.fail(fault);
    this.terminals.abandon();
  }
}

/** The terminals of a session of an agent: which tool call each one is until it has ended, and whose machine it is on. */
class Terminals {
  readonly #calls = new Map<string, string>();
  /** Those that the agent has not released. */
  readonly #held = new Map<string, Host>();

  /** `key`: the request that made it. */
  made(id: string, key: string, host: Host | undefined): void {
    this.#calls.set(id, key);
    if (host !== undefined) this.#held.set(id, host);
  }

  /** The call of a terminal that has ended just now; undefined when it had before. */
  ended(id: string): string | undefined {
    const key = this.#calls.get(id);
    this.#calls.delete(id);
    return key;
  }

  released(id: string): void {
    this.#held.delete(id);
  }

  /** The agent is gone and releases nothing any more; its commands would run on at the machine of the editor. */
  abandon(): void {
    for (const [terminalId, host] of this.#held) {
      // An editor that is gone too has ended them itself.
      host.ask('terminal/release', { terminalId }).catch(() => undefined);
    }
    this.#held.clear();
    this.#calls.clear();
  }
}

/**
 * Takes what an agent says while no prompt runs, with the task whose prompt was the last one in its session; resolves when it
 * is recorded.
 */
export type Overhear = (taskId: string, frame: Frame) => Promise<void>;

/**
 * What an agent says in a session while no prompt runs there. It is recorded at once in the task of the prompt before; what comes
 * before the first one, or while the next one is prepared, is recorded with that. There is a limit to it, as there is to a turn.
 */
export class BetweenTurns {
  readonly #maxBytes: number;
  readonly #overhear: Overhear;
  #early: AcpRecord[] = [];
  #isHeld = false;
  #recorded: Promise<void> = Promise.resolve();
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
    else this.#record(taskId, record);
  }

  /** A prompt is prepared. Resolves when what was said before is recorded: the log has it in that order. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await this.#recorded;
  }

  /** There is no prompt after all. */
  release(taskId: string | undefined): void {
    this.#isHeld = false;
    if (taskId !== undefined) for (const record of this.#early.splice(0)) this.#record(taskId, record);
  }

  /** A prompt begins: what goes before it. */
  end(): AcpRecord[] {
    this.#isHeld = false;
    this.#updates = 0;
    this.#bytes = 0;
    return this.#early.splice(0);
  }

  #record(taskId: string, record: AcpRecord): void {
    this.#recorded = this.#overhear(taskId, frameOf(record));
  }

  #isWithin(): boolean {
    return this.#updates <= FIXED_LIMITS.betweenTurns && this.#bytes <= this.#maxBytes;
  }
}
