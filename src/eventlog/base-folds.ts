import { baseKey, KEY_KINDS, keysUnder } from '../store/keys.ts';
import { seal, sealedHash, unseal } from '../store/sealed-record.ts';
import type { Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';
import type { State, StateWriter } from './event-log.ts';
import type { Finding } from './finding.ts';
import type { Scratch } from './scratch.ts';

/**
 * What the removed events of a log had folded to, one record `p/<key>` per derived key: the rebuild of the folds begins
 * with it. `hash` names the stored state instead of repeating it, for states that no later event changes.
 */
export type BaseEntry = { state: State } | { hash: string } | { marker: true };

export interface BaseSource {
  record(key: string): Buffer | undefined;
  state(key: string): State | undefined;
}

const STREAM_INDEXES = [KEY_KINDS.sessionEvent.prefix, KEY_KINDS.taskEvent.prefix];
const MARKER = Buffer.alloc(0);

/** The base with more events folded onto it. Nothing is written: `states` and `markers` are what changed. */
export class BaseFolds implements StateWriter {
  readonly states = new Map<string, State | undefined>();
  readonly markers = new Map<string, boolean>();
  readonly #source: BaseSource;
  readonly #other: BaseFolds | undefined;

  /** `other`: another session as it was when these events read it. */
  constructor(source: BaseSource, other: BaseFolds | undefined) {
    this.#source = source;
    this.#other = other;
  }

  get<S extends State>(key: string): S | undefined {
    // The caller names the type of the states under its own keys.
    return this.#get(key) as S | undefined;
  }

  set(key: string, state: State | undefined): void {
    this.states.set(key, state);
  }

  /** The removed events leave their streams, so their index is no part of the base. */
  index(key: string): void {
    if (!STREAM_INDEXES.some((prefix) => key.startsWith(prefix))) this.markers.set(key, true);
  }

  unindex(key: string): void {
    this.markers.set(key, false);
  }

  #get(key: string): State | undefined {
    if (this.states.has(key)) return this.states.get(key);
    const entry = this.#source.record(baseKey(key));
    if (entry === undefined) return this.#other?.get(key);
    const base: BaseEntry = JSON.parse(entry.toString('utf8'));
    return 'state' in base ? base.state : this.#source.state(key);
  }
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
  if ('marker' in entry) scratch.put(key, MARKER);
  else if ('state' in entry) scratch.put(key, seal(JSON.stringify(entry.state), key));
  else return loadNamed(key, entry.hash, store, scratch);
  return [];
}

function loadNamed(key: string, expected: string, store: Store, scratch: Scratch): Finding[] {
  const stored = store.get(key);
  if (stored !== undefined) scratch.put(key, stored);
  const observed = stored === undefined ? 'no record' : sealedHash(stored);
  return observed === expected ? [] : [{ problem: 'fold', where: key, expected, observed }];
}

function readEntry(where: string, sealed: Buffer): BaseEntry | undefined {
  try {
    return JSON.parse(unseal(sealed, where).toString('utf8'));
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
