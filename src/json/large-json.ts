import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** A character that is not one byte of JSON: an escaped one, or one outside of ASCII. */
const MORE_THAN_A_BYTE = /[^ !#-[\]-~]/;

/**
 * Bytes of a value as JSON, in UTF-8; its text is not made. A number above `most` when there are more than that: then no more of it
 * is looked at.
 */
export function jsonSize(value: unknown, most = Number.POSITIVE_INFINITY): number {
  const open = [value];
  let size = 0;
  while (open.length > 0 && size <= most) {
    const item = open.pop();
    if (typeof item === 'string')
      size += MORE_THAN_A_BYTE.test(item) ? Buffer.byteLength(JSON.stringify(item)) : item.length + 2;
    else if (typeof item !== 'object' || item === null) size += String(item).length;
    else if (Array.isArray(item)) {
      // Brackets, and commas between the items.
      size += 1 + Math.max(1, item.length);
      if (size <= most) for (const member of item) open.push(member ?? null);
    } else {
      let members = 0;
      for (const [name, member] of Object.entries(item)) {
        if (member === undefined) continue;
        members += 1;
        size += 1; // A colon.
        open.push(name, member);
      }
      // Braces, and commas between the members.
      size += 1 + Math.max(1, members);
    }
  }
  return size;
}

/** Work that rests after each slice, so that its caller decides when it goes on. */
export type Sliced<Result> = Generator<void, Result, void>;

/** What may be done where it comes: bytes of JSON that take less than a few turns of the event loop would. */
export const AT_ONCE_BYTES = 64 * 1024;
/** Of one slice: a few thousand members, which take some milliseconds. */
export const SLICE_SIZE = 32 * 1024;

/** All slices, one behind the other. */
export function finished<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

interface Waiting {
  /** Does a slice; true when it was the last one. */
  go(): boolean;
  /** Ends the work without a result. */
  end(error: unknown): void;
  signal: AbortSignal | undefined;
}

/**
 * Does large work in slices: in one turn of the event loop one slice of one work, and the works take turns, so that many large ones
 * hold up neither each other nor anything else.
 */
export class SlicedWork {
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting: Waiting[] = [];

  /** `nextTurn` runs something in the next turn of the event loop. */
  constructor(nextTurn: (run: () => void) => void = (run) => setImmediate(run)) {
    this.#nextTurn = nextTurn;
  }

  /** Rejects with what the work throws, and with `client_closed_request` when the signal is aborted before its end. */
  run<Result>(work: Sliced<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const go = () => {
        const { done, value } = work.next();
        if (done) resolve(value);
        return done === true;
      };
      this.#waiting.push({ go, end: reject, signal });
      if (this.#waiting.length === 1) this.#nextTurn(() => this.#turn());
    });
  }

  /** The first one stands in the list while its slice is done, so that nobody else asks for a turn. */
  #turn(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const isOver = isOverAfter(first);
    this.#waiting.shift();
    if (!isOver) this.#waiting.push(first);
    if (this.#waiting.length > 0) this.#nextTurn(() => this.#turn());
  }
}

function isOverAfter({ go, end, signal }: Waiting): boolean {
  try {
    if (signal?.aborted)
      throw new ProtocolError('client_closed_request', 'The client left before its request was read.');
    return go();
  } catch (error) {
    end(error);
    return true;
  }
}

/** Neighbouring items, `from` inclusive, `to` exclusive: a slice together, or one that is larger than a slice. */
export interface Run {
  from: number;
  to: number;
  isLarge: boolean;
}

/** The items of a large array, or the members of a large object, as runs, in order. */
export function* runsOf(items: readonly JsonValue[], names: readonly string[] = []): Generator<Run> {
  let from = 0;
  let size = 0;
  for (let at = 0; at < items.length; at += 1) {
    const own = (names[at]?.length ?? 0) + jsonSize(items[at], SLICE_SIZE);
    const isLarge = own > SLICE_SIZE;
    if (from < at && (isLarge || size + own > SLICE_SIZE)) {
      yield { from, to: at, isLarge: false };
      from = at;
      size = 0;
    }
    size += own;
    if (!isLarge) continue;
    yield { from, to: at + 1, isLarge };
    from = at + 1;
    size = 0;
  }
  if (from < items.length) yield { from, to: items.length, isLarge: false };
}

/** Texts of large values that nobody has asked for yet. They live as long as the value. */
const SPELLED = new WeakMap<object, string>();

/** What `JSON.stringify` makes of a value that nobody changes; at once where `spelledAhead` made it. */
export function spelled(value: JsonValue): string {
  return (typeof value === 'object' && value !== null && SPELLED.get(value)) || JSON.stringify(value);
}

/** Makes it a slice at a time; a long text is spelled in one. */
export function* spelledAhead(value: JsonValue[] | JsonObject): Sliced<void> {
  const pieces: string[] = [];
  yield* spell(value, pieces);
  SPELLED.set(value, pieces.join(''));
}

function* spell(value: JsonValue, pieces: string[]): Sliced<void> {
  if (typeof value !== 'object' || value === null || jsonSize(value, SLICE_SIZE) <= SLICE_SIZE) {
    pieces.push(JSON.stringify(value));
    yield;
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const { from, to, isLarge } of runsOf(items, names)) {
    pieces.push(from === 0 ? (open ?? '') : ',');
    if (isLarge) {
      if (names !== undefined) pieces.push(JSON.stringify(names[from]), ':');
      yield* spell(items[from] ?? null, pieces);
      continue;
    }
    const some = items.slice(from, to);
    const shown =
      names === undefined ? some : Object.fromEntries(some.map((item, at) => [names[from + at], item]));
    pieces.push(JSON.stringify(shown).slice(1, -1));
    yield;
  }
  pieces.push(close ?? '');
}
