import { idsIn, tasksOfSession } from '#core/list-page.ts';
import { nextTurn } from '#core/next-turn.ts';
import type { Event, EventLog, Segment } from '#eventlog/event-log.ts';
import { eventIn, NO_EVENT } from '#eventlog/segment.ts';
import { mayHoldHidden } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { eventIdOf, eventNumberOf, FIRST_PARTITION, partitionOf } from '#protocol/ports.ts';
import type { SessionFold } from '#resources/session/state.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { importMarkOf, originalEvent } from './fold-imported.ts';

/** Ids that are read at once. */
const PAGE = 1_000;

/** Events read before others have their turn: a few milliseconds. */
const READS_AT_ONCE = 100;

/** What is exported of a Session, and up to where. */
export interface ExportScope {
  session: SessionFold;
  /** Set where only this Task is asked for. */
  task: TaskState | undefined;
  /** Newest event of the Session when the export began; what comes later is no part of it. */
  throughId: string;
}

/** A Session or one of its Tasks as it is read from the log, again and again, in pages. */
export class ExportedRun {
  readonly scope: ExportScope;
  readonly #log: EventLog;
  #index: Promise<RunIndex> | undefined;

  constructor(log: EventLog, scope: ExportScope) {
    this.#log = log;
    this.scope = scope;
  }

  get sessionId(): string {
    return this.scope.session.resource.id;
  }

  /** Restored from a bundle: what was recorded there is handed on, what was done with it here is not. */
  get isElsewhere(): boolean {
    return this.scope.session.internal.imported !== undefined;
  }

  /**
   * The events that a restore needs, as they were recorded, in the order of their log; of the named kinds, where they are named:
   * others are passed over unread, because a run is gone through many times.
   */
  async *events(kinds?: RegExp): AsyncGenerator<Event> {
    const { task } = this.scope;
    const isPart = task === undefined ? () => true : partOf(task.resource);
    const index = await this.#indexed();
    for await (const bytes of this.#records(index.ids(kinds))) {
      const event = parsed(bytes);
      if (this.isElsewhere && importMarkOf(event) === undefined) continue;
      if (isPart(event)) yield originalEvent(event);
    }
  }

  /** Some events that hold what not everybody may see, and all that do. */
  async *eventsThatMayHide(): AsyncGenerator<Event> {
    const index = await this.#indexed();
    for await (const bytes of this.#records(index.mayHide())) yield originalEvent(parsed(bytes));
  }

  #indexed(): Promise<RunIndex> {
    this.#index ??= this.#makeIndex();
    return this.#index;
  }

  async #makeIndex(): Promise<RunIndex> {
    const index = new RunIndex();
    for await (const ids of this.#ids())
      for await (const bytes of this.#records(ids)) {
        const { id, kind } = headOf(bytes);
        index.add(id, kind, mayHoldHidden(bytes));
      }
    return index;
  }

  async *#ids(): AsyncGenerator<string[]> {
    const stream = { kind: 'session', id: this.sessionId } as const;
    for (let after = NO_EVENT; ; ) {
      const ids = await this.#log.eventIds(stream, after, PAGE);
      yield ids.filter((id) => id <= this.scope.throughId);
      after = ids.at(-1) ?? after;
      if (ids.length < PAGE || after >= this.scope.throughId) return;
    }
  }

  /**
   * The stored bytes, one event at a time: nothing is read before it is asked for, and LevelDB keeps the last page of every
   * range that was read until the whole heap is collected.
   */
  async *#records(ids: Iterable<string>): AsyncGenerator<Buffer> {
    let left = READS_AT_ONCE;
    let segment: Segment | undefined;
    for (const id of ids) {
      if (segment === undefined || id < segment.firstId || id > segment.lastId)
        segment = this.#log.segment(id);
      const bytes = segment && eventIn(segment, id);
      if (bytes === undefined) throw this.#gone(id);
      yield bytes;
      left -= 1;
      if (left > 0) continue;
      left = READS_AT_ONCE;
      await nextTurn();
    }
  }

  #gone(id: string): ProtocolError {
    const message = 'Retention has removed events of this Session while it was exported. Export it again.';
    return new ProtocolError('cursor_expired', message, { details: { event_id: id } });
  }

  /** The Tasks, oldest first. */
  async *tasks(): AsyncGenerator<TaskState> {
    const { task } = this.scope;
    if (task) {
      yield task;
      return;
    }
    const list = tasksOfSession(this.#log, this.sessionId);
    let ids = await idsIn(this.#log, list, { limit: PAGE });
    while (ids.length > 0) {
      for (const id of ids) {
        const state = this.#log.state<TaskState>(taskKeys.task(id));
        if (state && (state.internal.imported === true || !this.isElsewhere)) yield state;
      }
      ids = await idsIn(this.#log, list, { gt: ids.at(-1), limit: PAGE });
    }
  }
}

/** The members of an event stand in RFC 8785 order, so that its kind and its id are among the first. */
const HEAD = /"event":"([^"]+)","id":"(\d{20})"/;
const HEAD_BYTES = 512;

function headOf(bytes: Buffer): { id: string; kind: string } {
  const [, kind, id] = HEAD.exec(bytes.toString('utf8', 0, HEAD_BYTES)) ?? [];
  if (kind !== undefined && id !== undefined) return { id, kind };
  const event = parsed(bytes);
  return { id: event.id, kind: event.event };
}

function parsed(bytes: Buffer): Event {
  return JSON.parse(bytes.toString('utf8'));
}

/** What belongs to a Task; the chain of receipts is exported up to its newest one, so that it can be verified. */
function partOf({ id, receipt_id }: Task): (event: Event) => boolean {
  let isBeforeLast = receipt_id !== null;
  return ({ event, task_id, resource, payload }) => {
    const isOfChain = event === 'receipt.issued' && payload['follows'] === 'session' && isBeforeLast;
    if (resource.id === receipt_id) isBeforeLast = false;
    return task_id === id || event === 'session.created' || isOfChain;
  };
}

/** Only what has ended is handed on: an open Task would be half a run. */
export function refuseOpen({ session, task }: Pick<ExportScope, 'session' | 'task'>): void {
  const open = session.internal.open_tasks;
  const isOpen = task === undefined ? open.length > 0 : open.includes(task.resource.id);
  if (!isOpen) return;
  const message = 'A Task has not ended. Wait for its end, or cancel it, and export it then.';
  throw new ProtocolError('conflict', message, { details: { open_tasks: open } });
}

const FIRST_ROOM = 1024;
const ANY = /^/;

/** Which event of a run is of which kind: eleven bytes an event, so that those of rare kinds are found without reading all. */
class RunIndex {
  readonly #kinds = new Map<string, number>();
  #numbers = new Float64Array(FIRST_ROOM);
  #codes = new Uint16Array(FIRST_ROOM);
  #hiding = new Uint8Array(FIRST_ROOM);
  #size = 0;
  #partition = FIRST_PARTITION;

  /** Events are added in the order of their log. `mayHide`: something in it may not be for everybody. */
  add(id: string, kind: string, mayHide: boolean): void {
    if (this.#size === this.#codes.length) this.#grow();
    const code = this.#kinds.get(kind) ?? this.#kinds.size;
    this.#kinds.set(kind, code);
    this.#partition = partitionOf(id);
    this.#numbers[this.#size] = eventNumberOf(id);
    this.#codes[this.#size] = code;
    this.#hiding[this.#size] = Number(mayHide);
    this.#size += 1;
  }

  /** Ids of the events of these kinds in order. Default: of all. */
  *ids(kinds = ANY): Generator<string> {
    const wanted = new Set([...this.#kinds].flatMap(([kind, code]) => (kinds.test(kind) ? [code] : [])));
    for (let at = 0; at < this.#size; at += 1) if (wanted.has(this.#codes[at] ?? 0)) yield this.#idAt(at);
  }

  /** Ids of the events in which something may be hidden from somebody. */
  *mayHide(): Generator<string> {
    for (let at = 0; at < this.#size; at += 1) if (this.#hiding[at] === 1) yield this.#idAt(at);
  }

  #idAt(at: number): string {
    return eventIdOf(this.#numbers[at] ?? 0, this.#partition);
  }

  #grow(): void {
    const [numbers, codes, hiding] = [this.#numbers, this.#codes, this.#hiding];
    this.#numbers = new Float64Array(this.#size * 2);
    this.#codes = new Uint16Array(this.#size * 2);
    this.#hiding = new Uint8Array(this.#size * 2);
    this.#numbers.set(numbers);
    this.#codes.set(codes);
    this.#hiding.set(hiding);
  }
}
