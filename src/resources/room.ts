import type { z } from 'zod';
import type { EventKind } from '#protocol/event-kinds.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { OperationRow } from '#protocol/operation-row.ts';

/** Examples by the name of a schema, or of an operation and a body of it: `cancelTask.response`. */
export type Examples = Readonly<Record<string, JsonValue>>;

/** Makes the key of one id; the type says which state is there. */
export interface StateKey<State> {
  (id: string): string;
  /** Never there: it ties the type of the state to its key. */
  readonly state?: State;
}

/** What imports brought under one id. */
export interface Copies {
  /** Ids of the copies, by Workspace. */
  copies: Readonly<Record<string, string>>;
}

/** What a person reads of an item: a cell under each heading. An optional one is empty where there is nothing to say. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

/** How resources are listed on the command line: what its one generic `list` is made of. */
export interface Listing<Item extends object, Path extends string = string> {
  /** What `list` lists, and in which order. */
  readonly description: string;
  /** Of the collection, as the OpenAPI document has it. */
  readonly path: Path;
  /** Options that narrow the list, each with the parameter of the query that it becomes. */
  readonly filters?: readonly ListFilter[];
  /** What a person reads of one, by the headings. */
  readonly columns: Columns<Item>;
}

/** A listing of which `get` shows one item. */
export interface GettableListing<
  Item extends object,
  Path extends string = string,
  One extends string = string,
> extends Listing<Item, Path> {
  /** Where `list` and `get` are the whole command of the resource: its name, in the singular, and what it is for. */
  readonly command?: { readonly name: string; readonly description: string };
  /** Path of one item: that of the collection, with one parameter more. */
  readonly one: One;
}

export interface ListFilter {
  /** As commander has it: `--session <id>`. */
  readonly flags: string;
  readonly description: string;
  readonly param: string;
  readonly choices?: readonly string[];
}

/**
 * What a room says of itself: its words at once, its code on demand. So tables of words are made of the rooms without their
 * code, which needs these tables itself. What the code has to be is checked where it is loaded (load-rooms.ts).
 */
export interface Room {
  /** Its rows of the operations table. */
  readonly operations?: Readonly<Record<string, OperationRow>>;
  /** Payloads of its events. */
  readonly events?: Partial<Readonly<Record<EventKind, z.ZodType>>>;
  /** Its resources that are loaded by their id, under the name that clients see, with the key of their state (src/core/load.ts). */
  readonly states?: Readonly<Record<string, StateKey<{ resource: object; internal: object }>>>;
  /** Where a resource may have a copy of its own in each Workspace: the key of what says so, by the name of the resource. */
  readonly copies?: Readonly<Record<string, StateKey<Copies>>>;
  /** Its listing on the command line. */
  readonly listing?: Listing<never>;
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
