import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#protocol/json.ts';
import { CURRENT_RULES, RULES, type Rules } from '#protocol/rules.ts';
import type { Failure, TaskStatus } from '#protocol/task-states.ts';
import type { DraftPart, MessageDraft, Move, Seen } from '#protocol-client.ts';

/** What a test's core knows of a task: applies moves in order and answers what interpretation may ask. */
export class Past implements Seen {
  rules: Rules = RULES[CURRENT_RULES];
  status: TaskStatus = 'WORKING';
  binding: JsonObject | undefined;
  sessionBinding: JsonObject | undefined;
  failure: Failure | undefined;
  readonly states: TaskStatus[] = [];
  readonly messages: MessageDraft[] = [];
  readonly artifacts = new Map<string, DraftPart[]>();
  readonly closed = new Set<string>();
  readonly notes: string[] = [];
  readonly metadata: JsonObject[] = [];

  hasMessage = (id: string, parts?: readonly DraftPart[]) => {
    const said = this.messages.findLast((message) => message.upstreamId === id);
    return said !== undefined && (parts === undefined || isDeepStrictEqual(said.parts, parts));
  };
  artifactParts = (id: string) => this.artifacts.get(id)?.length;

  /** The texts the agent said, in order. */
  get texts(): string[] {
    return this.messages.map((message) => textOf(message.parts));
  }

  textOf(artifactId: string): string {
    return textOf(this.artifacts.get(artifactId) ?? []);
  }

  apply(moves: Move[]): void {
    for (const move of moves) this.#applyOne(move);
  }

  #hear(message: MessageDraft): void {
    const { upstreamId, parts } = message;
    if (upstreamId === undefined || !this.hasMessage(upstreamId, parts)) this.messages.push(message);
  }

  #applyOne(move: Move): void {
    if (move.type === 'bind') {
      this.binding = move.binding ?? this.binding;
      this.sessionBinding = move.sessionBinding ?? this.sessionBinding;
    }
    if (move.type === 'message') this.#hear(move.message);
    // What the next turn answers blocks the task; what is answered inside a turn leaves it when that is done.
    if (move.type === 'permission' && move.permission.upstreamId === undefined)
      this.status = move.permission.kind === 'elicitation' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED';
    if (move.type === 'note') this.notes.push(move.note);
    if (move.type === 'metadata') this.metadata.push(move.patch);
    if (move.type === 'artifact') {
      const { upstreamId, parts, append, lastChunk } = move.artifact;
      const before = append ? (this.artifacts.get(upstreamId) ?? []) : [];
      this.artifacts.set(upstreamId, [...before, ...parts]);
      if (lastChunk) this.closed.add(upstreamId);
    }
    if (move.type === 'status') {
      this.status = move.to;
      this.states.push(move.to);
      this.failure = move.failure ?? this.failure;
      if (move.metadata !== undefined) this.metadata.push(move.metadata);
      if (move.message !== undefined) this.#hear(move.message);
    }
  }
}

function textOf(parts: readonly DraftPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('');
}
