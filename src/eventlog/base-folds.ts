import { hash } from 'node:crypto';
import { checked, contentOfChecked } from '../store/checked-record.ts';
import { baseKey, KEY_KINDS, keysUnder } from '../store/keys.ts';
import { unseal } from '../store/sealed-record.ts';
import type { Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';
import type { Event, ResourcePointer, State } from './event-log.ts';
import type { Finding } from './finding.ts';
import { copyOf, type Drafts, type FoldWriter, type ResourceHead } from './fold-event.ts';
import { type FoldCodec, type FoldRecord, recordOf, spelled } from './fold-record.ts';
import { saidBy } from './said.ts';
import type { Scratch } from './scratch.ts';

/**
 * What the removed events of a log had folded to, one record `p/<key>` per derived key: the rebuild of the folds begins
 * with it. `hash` names the stored fold by the SHA-256 of its content instead of repeating it, as long as no later event
 * changes it; then the transaction that does writes the base.
 */
export type BaseEntry = { fold: object } | { hash: string } | { marker: true };

/** The entry of a fold that is kept besides. */
export function baseEntryOf(codec: FoldCodec, key: string, fold: FoldRecord): string {
  return `{"fold":${codec.write(key, fold)}}`;
}

export interface BaseSource {
  record(key: string): Buffer | undefined;
  fold(key: string): FoldRecord | undefined;
  readonly codec: FoldCodec;
}

const MARKER = '';
const HASH_CHARS = 22;

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
    const entry = this.#source.record(baseKey(key));
    if (entry === undefined) return this.#other === undefined ? undefined : this.#other.#get(key);
    const base: BaseEntry = JSON.parse(entry.toString('utf8'));
    if ('marker' in base) return undefined;
    return 'hash' in base ? this.#source.fold(key) : this.#source.codec.read(key, JSON.stringify(base.fold));
  }
}

/** The first 132 bits of the SHA-256 of the content of a stored fold, base64url: what a base entry names it by. */
export function foldHash(key: string, stored: Buffer): string {
  return hash('sha256', contentOfChecked(stored, key), 'base64url').slice(0, HASH_CHARS);
}

/** Puts the base into a rebuild; what it names by hash is taken from the store, and is a finding when it is another. */
export async function loadBase(store: Store, scratch: Scratch): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const page of store.entries(keysUnder(KEY_KINDS.base.prefix)))
    for (const [where, sealed] of page) findings.push(...loadEntry(where, sealed, store, scratch));
  await scratch.flush();
  return findings;
}

function loadEntry(where: string, sealed: Buffer, store: Store, scratch: Scratch): Finding[] {
  const key = where.slice(KEY_KINDS.base.prefix.length);
  const entry = readEntry(where, sealed);
  // Its commit vouches for its hash, so the audit names it.
  if (entry === undefined) return [];
  if ('hash' in entry) return loadNamed(key, entry.hash, store, scratch);
  if ('marker' in entry) scratch.put(key, MARKER);
  else if (typeof entry.fold === 'object') scratch.put(key, checked(spelled(entry.fold), key));
  return [];
}

function loadNamed(key: string, expected: string, store: Store, scratch: Scratch): Finding[] {
  const stored = store.get(key);
  if (stored !== undefined) scratch.put(key, stored);
  const observed = stored === undefined ? 'no record' : hashOrDamage(key, stored);
  return observed === expected ? [] : [{ problem: 'fold', where: key, expected, observed }];
}

function hashOrDamage(key: string, stored: Buffer): string {
  try {
    return foldHash(key, stored);
  } catch (error) {
    if (error instanceof IntegrityError) return error.observed;
    throw error;
  }
}

function readEntry(where: string, sealed: Buffer): BaseEntry | undefined {
  try {
    return JSON.parse(unseal(sealed, where).toString('utf8'));
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
