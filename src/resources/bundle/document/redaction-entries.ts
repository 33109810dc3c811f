import { canonicalJson } from '#json/canonical.ts';
import type { ByteSource, Spool, SpoolFile } from '#protocol/bytes.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { RedactionEntry } from '../session-bundle-schema.ts';
import type { Turn } from './paced.ts';

/** Entries that are held, and sorted at once: a few milliseconds. */
const MOST_HELD = 8_192;
/** Entries written before others have their turn. */
const TOLD_AT_ONCE = 1_000;
/** Read at a time of every sorted part. */
const BLOCK_BYTES = 16 * 1024;
const LINE_END = 0x0a;

export interface EntriesPlace {
  /** Where they go that are too many to be held. Default: none, they are held all the same. */
  spool?: Spool | undefined;
  turn?: Turn | undefined;
  /** Default 8,192. */
  mostHeld?: number;
}

/** Sorted entries in the file. */
interface Part {
  start: number;
  end: number;
}

/** An entry as it is written, with what it is sorted by. */
interface Placed {
  path: string;
  text: string;
}

/** What was replaced in a bundle, sorted by path; a run of payloads has millions, so that all but a few lie in a file. */
export class RedactionEntries {
  readonly #place: EntriesPlace;
  readonly #parts: Part[] = [];
  #held: RedactionEntry[] = [];
  #file: SpoolFile | undefined;
  #bytes: ByteSource | undefined;
  #size = 0;

  constructor(place: EntriesPlace = {}) {
    this.#place = place;
  }

  add(entry: RedactionEntry): void {
    this.#held.push(entry);
  }

  /** Whether it is time to `settle`. */
  get isFull(): boolean {
    return this.#place.spool !== undefined && this.#held.length >= (this.#place.mostHeld ?? MOST_HELD);
  }

  /** Takes what is held to the file. Throws `service_unavailable` where the disk is full. */
  async settle(): Promise<void> {
    const { spool } = this.#place;
    if (spool === undefined) return;
    this.#file ??= await spool.open();
    const text = [...this.#placed()].map((entry) => `${entry.text}\n`).join('');
    const bytes = Buffer.from(text);
    this.#held = [];
    await this.#file.write(bytes);
    this.#parts.push({ start: this.#size, end: this.#size + bytes.length });
    this.#size += bytes.length;
  }

  /** The RFC 8785 texts of all entries by path, those of one path in the order in which they came; then none is added any more. */
  async *sorted(): AsyncGenerator<string, void> {
    this.#bytes ??= this.#file?.finish();
    const file = this.#bytes;
    const lists = file === undefined ? [] : this.#parts.map((part) => linesOf(file, part));
    let left = TOLD_AT_ONCE;
    for (const { text } of merged([...lists, this.#placed()])) {
      yield text;
      left -= 1;
      if (left > 0) continue;
      left = TOLD_AT_ONCE;
      await this.#place.turn?.();
    }
  }

  /** Takes the file away. */
  async close(): Promise<void> {
    await this.#file?.close();
  }

  *#placed(): Generator<Placed> {
    for (const entry of this.#held.sort(byPath))
      yield { path: entry.path, text: canonicalJson(entry as unknown as JsonObject) };
  }
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function* linesOf(file: ByteSource, { start, end }: Part): Generator<Placed> {
  let rest: Buffer = Buffer.alloc(0);
  for (let at = start; at < end; at += BLOCK_BYTES) {
    const block = Buffer.concat([rest, file.read(at, Math.min(at + BLOCK_BYTES, end))]);
    let from = 0;
    for (let to = block.indexOf(LINE_END); to >= 0; to = block.indexOf(LINE_END, from)) {
      const text = block.toString('utf8', from, to);
      yield { path: (JSON.parse(text) as RedactionEntry).path, text };
      from = to + 1;
    }
    rest = block.subarray(from);
  }
}

/** The items of sorted lists as one sorted list; of equal ones that of the earlier list comes first. */
function* merged(lists: readonly Iterator<Placed>[]): Generator<Placed> {
  const heads: { head: Placed; rank: number }[] = [];
  const place = (rank: number) => {
    const next = lists[rank]?.next();
    if (next === undefined || next.done === true) return;
    const head = next.value;
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = heads[middle];
      if (other !== undefined && (byPath(other.head, head) || other.rank - rank) < 0) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, { head, rank });
  };
  for (const rank of lists.keys()) place(rank);
  for (let first = heads.shift(); first !== undefined; first = heads.shift()) {
    yield first.head;
    place(first.rank);
  }
}
