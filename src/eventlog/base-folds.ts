import { baseKey, KEY_KINDS, keysUnder } from '#store/keys.ts';
import { checked, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { BASE_ROW_KINDS, type BaseEntry, contentOfRow, isBaseRow } from './base-row.ts';
import type { Event, ResourcePointer, State } from './event-log.ts';
import type { Finding } from './finding.ts';
import {
  copyOf,
  type Drafts,
  type FoldCodec,
  type FoldRecord,
  type FoldWriter,
  type ResourceHead,
  recordOf,
  spelled,
} from './fold-record.ts';
import type { Scratch } from './scratch.ts';
import { saidBy } from './segment.ts';

export interface BaseSource {
  record(key: string): Buffer | undefined;
  fold(key: string): FoldRecord | undefined;
  readonly codec: FoldCodec;
}

const MARKER = '';

/** The base with more events folded onto it. Nothing is written: `folds` and `markers` are what changed. */
export class BaseFolds implements FoldWriter {
  readonly folds = new Map<string, FoldRecord>();
  readonly markers = new Map<string, boolean>();
  readonly #source: BaseSource;
  readonly #drafts: Drafts = new Map();
  #other: BaseFolds | undefined;

  constructor(source: BaseSource) {
    this.#source = source;
  }

  /**
   * Runs `fold`, which reads another session as that was then. Only while it runs: what sessions count together is counted
   * by each for itself.
   */
  reading(other: BaseFolds, fold: () => void): void {
    this.#other = other;
    fold();
    this.#other = undefined;
  }

  get<S extends State>(key: string): S | undefined {
    // The caller names the type of the states under its own keys.
    return this.#get(key)?.state as S | undefined;
  }

  draft<S extends State>(key: string): S | undefined {
    const open = this.#drafts.get(key) as S | undefined;
    if (open !== undefined) return open;
    const known = this.get<S>(key);
    if (known === undefined) return undefined;
    const state = copyOf(known);
    this.#drafts.set(key, state);
    this.#change(key, { state });
    return state;
  }

  set(key: string, state: State | undefined): void {
    this.#drafts.delete(key);
    this.#change(key, { state });
  }

  said<Value extends object>(event: Event, value: Value): Value {
    return saidBy(event, value);
  }

  head(resource: ResourcePointer): ResourceHead | undefined {
    return this.#get(recordOf(resource))?.head;
  }

  moveHead(resource: ResourcePointer, head: ResourceHead): void {
    this.#change(recordOf(resource), { head });
  }

  index(key: string): void {
    this.markers.set(key, true);
  }

  unindex(key: string): void {
    this.markers.set(key, false);
  }

  #change(key: string, change: FoldRecord): void {
    this.folds.set(key, { ...this.#get(key), ...change });
  }

  #get(key: string): FoldRecord | undefined {
    // What the other session had changed by then comes before its base: a row may hold more than its removed events put there.
    const changed = this.folds.get(key) ?? this.#other?.folds.get(key);
    if (changed !== undefined) return changed;
    const base = this.#baseAt(key);
    return base === undefined && this.#other !== undefined ? this.#other.#get(key) : base;
  }

  #baseAt(key: string): FoldRecord | undefined {
    const entry = this.#source.record(baseKey(key));
    if (entry === undefined) {
      const { isBase, ...own } = this.#source.fold(key) ?? {};
      return isBase ? own : undefined;
    }
    const base: BaseEntry = JSON.parse(entry.toString('utf8'));
    return 'fold' in base ? this.#source.codec.read(key, JSON.stringify(base.fold)) : undefined;
  }
}

/** Puts the base into a rebuild: the rows that are the base, and what is kept of others. Damaged rows are findings. */
export async function loadBase(store: Store, scratch: Scratch): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { prefix } of BASE_ROW_KINDS)
    for await (const page of store.entries(keysUnder(prefix))) {
      for (const [key, stored] of page)
        if (isBaseRow(key, stored)) findings.push(...loadRow(key, stored, scratch));
      await scratch.flush();
    }
  for await (const page of store.entries(keysUnder(KEY_KINDS.base.prefix))) {
    for (const [where, sealed] of page) loadEntry(where, sealed, scratch);
    await scratch.flush();
  }
  return findings;
}

function loadRow(key: string, stored: Buffer, scratch: Scratch): Finding[] {
  scratch.put(key, stored);
  try {
    contentOfRow(key, stored);
    return [];
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    return [{ problem: 'hash', where: key, expected: error.expected, observed: error.observed }];
  }
}

function loadEntry(where: string, sealed: Buffer, scratch: Scratch): void {
  const key = where.slice(KEY_KINDS.base.prefix.length);
  const entry = readEntry(where, sealed);
  // Its commit vouches for its hash, so the audit names it.
  if (entry === undefined) return;
  if ('marker' in entry) scratch.put(key, MARKER);
  else if (typeof entry.fold === 'object') scratch.put(key, checked(spelled(entry.fold), key));
}

function readEntry(where: string, sealed: Buffer): BaseEntry | undefined {
  try {
    return JSON.parse(unseal(sealed, where).toString('utf8'));
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
