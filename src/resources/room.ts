import type { z } from 'zod';
import type { EventKind } from '#protocol/event-kinds.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { OperationRow } from '#protocol/operation-row.ts';

/** Examples by the name of a schema, or of an operation and a body of it: `cancelTask.response`. */
export type Examples = Readonly<Record<string, JsonValue>>;

/**
 * What a room says of itself: its words at once, its code on demand. So tables of words are made of the rooms without their
 * code, which needs these tables itself. What the code has to be is checked where it is loaded (load-rooms.ts).
 */
export interface Room {
  /** Its rows of the operations table. */
  readonly operations?: Readonly<Record<string, OperationRow>>;
  /** Payloads of its events. */
  readonly events?: Partial<Readonly<Record<EventKind, z.ZodType>>>;
  /** The file whose `examples` the OpenAPI document shows. */
  readonly examples?: () => Promise<{ examples: Examples }>;
  /** The file whose `folds` say what its events mean for the states that are read. */
  readonly folds?: () => Promise<unknown>;
  /** The file whose `handlers` are its commands and queries. */
  readonly handlers?: () => Promise<unknown>;
}

/** One object with what each of several has. */
export type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (
  all: infer All,
) => void
  ? { [Key in keyof All]: All[Key] }
  : never;

/** Puts parts together. Throws where two say something of the same name. */
export function together<Part extends object>(parts: readonly Part[]): Together<Part> {
  const all = new Map<string, unknown>();
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (all.has(name)) throw new Error(`two rooms have ${name}`);
    all.set(name, value);
  }
  return Object.fromEntries(all) as Together<Part>;
}
