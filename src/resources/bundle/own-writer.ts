import type { Event, Projection, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { copyOf } from '#eventlog/fold-record.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { OutcomeState } from '#resources/outcome/state.ts';
import { receiptKeys } from '#resources/receipt/state.ts';
import { taskKeys } from '#resources/task/state.ts';
import { lastSegment } from '#store/keys.ts';

/** Resources that an import may make. */
const MADE = new Set(['session', 'task', 'message', 'artifact', 'branch', 'permission_request', 'receipt']);

/**
 * Folds an event of a bundle without keeping what comes of it, and refuses one that would touch anything that the import did
 * not make: ids in a bundle are chosen by whoever wrote it. Throws `conflict` naming the resource.
 */
export function refuseForeign(
  event: Event,
  reader: StateReader,
  own: { sessionId: string; workspaceId: string },
  project: Projection,
): void {
  const writer = new OwnWriter(reader, own);
  project(event, writer);
}

type Owned = { resource?: { workspace_id?: unknown } };

class OwnWriter implements StateWriter {
  readonly #reader: StateReader;
  readonly #own: { sessionId: string; workspaceId: string };
  readonly #made = new Map<string, object | undefined>();

  constructor(reader: StateReader, own: { sessionId: string; workspaceId: string }) {
    this.#reader = reader;
    this.#own = own;
  }

  get<S extends object>(key: string): S | undefined {
    // The caller names the type of the states under its own keys.
    return (this.#made.has(key) ? this.#made.get(key) : this.#reader.get(key)) as S | undefined;
  }

  draft<S extends object>(key: string): S | undefined {
    const state = this.get<S>(key);
    if (state === undefined) return undefined;
    const draft = copyOf(state);
    this.set(key, draft);
    return draft;
  }

  set(key: string, state: object | undefined): void {
    const [kind = '', name = '', owner = ''] = key.split('/');
    if (kind === 'r') this.#refuseTaken(name, owner, key, state);
    else if (key !== receiptKeys.receiptLog) this.#refuseOther(owner, key);
    if (name === 'outcome') this.#refuseOutcome(key, state);
    this.#made.set(key, state);
  }

  said<Value extends object>(_event: Event, value: Value): Value {
    return value;
  }

  index(key: string): void {
    const [, list = '', second = '', third = ''] = key.split('/');
    this.#refuseOther(list === 'session' ? second : third, key);
  }

  unindex(key: string): void {
    const [, list = '', second = '', third = ''] = key.split('/');
    if (second !== 'open' && !list.endsWith('-expiry')) this.#refuseOther(third, key);
  }

  #refuseTaken(object: string, id: string, key: string, state: object | undefined): void {
    if (!MADE.has(object)) throw foreign(key);
    const before = this.#reader.get<Owned>(key);
    const workspace = (state as Owned | undefined)?.resource?.workspace_id;
    if (before !== undefined && before.resource?.workspace_id !== this.#own.workspaceId)
      throw taken(object, id);
    if (workspace !== this.#own.workspaceId) throw foreign(key);
  }

  #refuseOutcome(key: string, state: Partial<OutcomeState> | undefined): void {
    const before = this.#reader.get<OutcomeState>(key);
    if (before !== undefined && before.task_id !== state?.task_id) throw taken('outcome', lastSegment(key));
  }

  /** The Session, its Workspace, or a Task that the import made. */
  #refuseOther(owner: string, key: string): void {
    if (owner === this.#own.sessionId || owner === this.#own.workspaceId) return;
    const task = this.get<Owned>(taskKeys.task(owner));
    if (task?.resource?.workspace_id !== this.#own.workspaceId) throw foreign(key);
  }
}

function taken(object: string, id: string): ProtocolError {
  const message = `The ${object} ${id} exists already, and is another one. Import the bundle into another gateway.`;
  return new ProtocolError('conflict', message, { details: { object, id } });
}

function foreign(key: string): ProtocolError {
  const message = `invalid session bundle: an event writes ${key}, which is no part of its session`;
  return new ProtocolError('invalid_request', message, { param: 'body' });
}
