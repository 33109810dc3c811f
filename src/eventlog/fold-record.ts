import { LRUCache } from 'lru-cache';
import type { JsonObject } from '#protocol/json.ts';
import { KEY_KINDS } from '#store/keys.ts';
import { checked, contentOfChecked } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type {
  Event,
  NewEvent,
  Origin,
  Projection,
  ResourcePointer,
  State,
  StateWriter,
} from './event-log.ts';
import { EVENT_ID, type ReadRow, type SaidSlots, SaidWords } from './segment.ts';

/** What is stored under the key of a fold. A resource without a state, such as a span, has only a head. */
export interface FoldRecord {
  head?: ResourceHead | undefined;
  state?: State | undefined;
  /** Set in a record that is the base itself: retention removed every event that it was folded from. */
  isBase?: true | undefined;
}

/** Heads are kept by the key of the record they are stored in. */
export function recordOf({ object, id }: ResourcePointer): string {
  return `${KEY_KINDS.resource.prefix}${object}/${id}`;
}

/** Writes and reads the records of folds. */
export class FoldCodec {
  readonly #words: SaidWords;
  readonly #store: Pick<Store, 'get'>;

  constructor(words: SaidWords, store: Pick<Store, 'get'>) {
    this.#words = words;
    this.#store = store;
  }

  /** The record of a fold and the characters it takes in memory; undefined when nothing is left of it. */
  encode(key: string, fold: FoldRecord): EncodedFold | undefined {
    const { head, state, isBase } = fold;
    if (head === undefined && state === undefined) return undefined;
    const { stored, source } = state ? this.#words.shorten(key, state) : NOTHING;
    const text =
      this.#eventFor(key, fold, source?.name) ??
      spelled(
        stored === undefined || isResource(key)
          ? { head, state: stored, isBase }
          : // Of a fold without a head its state is stored alone.
            isBase
            ? { ...stored, isBase }
            : stored,
      );
    const encoded = { value: checked(text, key), chars: text.length + (source?.chars ?? 0) };
    return source === undefined ? encoded : { ...encoded, saidBy: source.name };
  }

  /** The id of the event that made the fold and says all of it. */
  #eventFor(key: string, { head, state, isBase }: FoldRecord, said: string | undefined): string | undefined {
    if (said === undefined || head?.event_id !== said || state === undefined || isBase) return undefined;
    return this.#words.isAllSaid(key, state) ? said : undefined;
  }

  /** The JSON of a record, which says nothing of being the base. */
  write(key: string, { head, state }: FoldRecord): string {
    const { stored } = state ? this.#words.shorten(key, state) : NOTHING;
    return JSON.stringify(isResource(key) ? { head, state: stored } : stored);
  }

  /** Throws IntegrityError for a damaged record, or one that refers to what cannot be read. */
  decode(key: string, value: Buffer): FoldRecord & { chars: number } {
    const text = contentOfChecked(value, key).toString('utf8');
    if (text.startsWith('{')) return this.read(key, text);
    const chars = text.length;
    if (!EVENT_ID.test(text)) return { state: ofSingleMember(key, text), chars };
    const { event, state } = this.#words.saidWholly(key, text);
    const head = { event_id: event.id, sequence: event.sequence };
    return { head, state, chars: chars + (this.#words.sourceOf(key, state)?.chars ?? 0) };
  }

  /** A record of its JSON. */
  read(key: string, json: string): FoldRecord & { chars: number } {
    const found: FoldRecord & State = JSON.parse(json);
    const { head, state: own, isBase } = found;
    const record: FoldRecord = isResource(key)
      ? { head, state: own, isBase }
      : isBase
        ? baseFold(found)
        : { state: found };
    if (record.state === undefined) return { ...record, chars: json.length };
    const state = this.#words.complete(key, record.state, (row) => this.#stateAt(row));
    return { ...record, state, chars: json.length + (this.#words.sourceOf(key, state)?.chars ?? 0) };
  }

  #stateAt(row: string): State | undefined {
    const stored = this.#store.get(row);
    return stored && this.decode(row, stored).state;
  }

  /** Whether a record under this key can refer to an event. */
  mayRefer(key: string): boolean {
    return this.#words.mayBeAt(key);
  }

  /** The fold without a reference to an event that goes. */
  whole(key: string, fold: FoldRecord, readRow: ReadRow): FoldRecord {
    return fold.state === undefined ? fold : { ...fold, state: this.#words.whole(key, fold.state, readRow) };
  }
}

/** A name, and an id or a number. */
const SINGLE_MEMBER = /^([a-z_]+)(?::([A-Za-z0-9_-]+)|=(0|[1-9][0-9]{0,14}))$/;

/** A state of one member that is an id (`name:id`) or a number (`name=1`) without JSON; every other value as JSON. */
export function spelled(stored: object): string {
  const [[name, value] = ['', undefined], ...others] = Object.entries(stored) as [string, unknown][];
  const isNumber = typeof value === 'number';
  if (others.length === 0 && (isNumber || typeof value === 'string')) {
    const text = `${name}${isNumber ? '=' : ':'}${value}`;
    if (SINGLE_MEMBER.test(text)) return text;
  }
  return JSON.stringify(stored);
}

function ofSingleMember(key: string, text: string): State {
  const [, name, id, number] = SINGLE_MEMBER.exec(text) ?? [];
  if (name === undefined) throw new IntegrityError(key, 'a state', text.slice(0, 64));
  return { [name]: id ?? Number(number) };
}

const NOTHING = { stored: undefined, source: undefined };

function baseFold({ isBase, ...state }: FoldRecord & State): FoldRecord {
  return { state, isBase };
}

interface EncodedFold {
  value: string;
  chars: number;
  /** What the record refers to: an event id, or the key of a row. */
  saidBy?: string;
}

const NO_WORDS: SaidSlots = () => undefined;

export function foldCodec(store: Pick<Store, 'get'>, slots: SaidSlots = NO_WORDS): FoldCodec {
  return new FoldCodec(new SaidWords(slots, store), store);
}

/** Reads a fold whose states are stored as they are. Throws IntegrityError for a damaged record. */
export function decodeFold(key: string, value: Buffer): FoldRecord {
  return WHOLE.decode(key, value);
}

const WHOLE = foldCodec({ get: () => undefined });

/** Only resources have events of their own, and so a head. */
export function isResource(key: string): boolean {
  return key.startsWith(KEY_KINDS.resource.prefix);
}

/** In the cache, marks a fold that the store does not hold, so that asking again costs nothing. */
export const NO_FOLD: FoldRecord = Object.freeze({});

/** Parsed durable folds, bounded by the length of their JSON and their keys. */
export class StateCache extends LRUCache<string, FoldRecord> {
  /** Reads that found what they asked for, and that did not; counted by the reader. */
  hits = 0;
  misses = 0;

  constructor(maxChars: number) {
    super({ maxSize: maxChars });
  }
}

/** Newest event of one resource; gives the next event its `sequence` and `previous_event_id`. */
export interface ResourceHead {
  event_id: string;
  sequence: number;
}

/** What a fold of the log itself writes besides the states of the projection. */
export interface FoldWriter extends StateWriter {
  head(resource: ResourcePointer): ResourceHead | undefined;
  moveHead(resource: ResourcePointer, head: ResourceHead): void;
}

/** Folds one event: the resource's head, then the resources. The same code runs live and in a rebuild. */
export function foldEvent(event: Event, states: FoldWriter, projection: Projection): void {
  states.moveHead(event.resource, { event_id: event.id, sequence: event.sequence });
  projection(event, states);
}

/** What the log adds to a new event. */
interface EventPlace {
  id: string;
  sequence: number;
  previousEventId: string | null;
  time: string;
}

/** The clean content of a new event. */
interface EventContent {
  payload: JsonObject;
  metadata: JsonObject;
}

/**
 * Builds the event as stored and sent. The keys are written in RFC 8785 order, so JSON.stringify of the envelope is
 * already canonical and the bytes need no second pass.
 */
export function buildEvent(input: NewEvent, content: EventContent, origin: Origin, place: EventPlace): Event {
  return {
    actor: origin.actor,
    created_at: place.time,
    event: input.event,
    id: place.id,
    metadata: content.metadata,
    object: 'event',
    payload: content.payload,
    previous_event_id: place.previousEventId,
    ...(input.receipt_id === undefined ? {} : { receipt_id: input.receipt_id }),
    ...(input.replay === undefined ? {} : { replay: input.replay, replayed: true }),
    resource: { id: input.resource.id, object: input.resource.object },
    sequence: place.sequence,
    session_id: input.session_id ?? null,
    span_id: origin.spanId ?? null,
    task_id: input.task_id ?? null,
    trace_id: origin.traceId ?? null,
    updated_at: place.time,
    workspace_id: input.workspace_id ?? null,
  };
}

/**
 * States that one transaction changes in place, by their keys. The first change of a state copies it; later ones change that
 * copy, until a decision has read it. A value that is set as a whole is never a draft: it may be part of an event.
 */
export type Drafts = Map<string, State>;

/** A state of its own down to the members of its `resource` and `internal`; what these hold is shared. */
export function copyOf<S extends State>(state: S): S {
  const copy: S & { resource?: object; internal?: object } = { ...state };
  if (copy.resource !== undefined) copy.resource = { ...copy.resource };
  if (copy.internal !== undefined) copy.internal = { ...copy.internal };
  return copy;
}
