import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import type { Fault } from '../../wire/faults.ts';
import type { BetweenTurns } from './between-turns.ts';
import { type PromptParts, PromptTurn } from './prompt-turn.ts';
import { type AcpRecord, frameOf, type RefusedOption, type SessionRecord } from './record.ts';
import { Terminals } from './terminals.ts';

/** A session at the agent. It has one prompt at a time. */
export class AgentSession {
  readonly id: string;
  /** While it is loaded, the agent repeats its history: those updates are counted, nothing else. */
  isLoading = false;
  replayed = 0;
  /** Mode and options the agent was last told, so that it is told once. */
  readonly told = new Map<string, JsonValue>();
  /** Those that it refused, by name. */
  readonly refused = new Map<string, RefusedOption>();
  /** Modes, models and options it was opened with, as the agent has them. */
  offers: JsonObject = {};
  current: PromptTurn | undefined;
  /** How it was opened, until a prompt is sent in it. */
  news: SessionRecord | undefined;
  /** MCP servers that it was opened with, as text to compare. */
  servers = '[]';
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
