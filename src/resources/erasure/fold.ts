import type { Event, StateWriter } from '#eventlog/event-log.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { Erasure } from './schema.ts';
import { type ErasedState, type ErasureState, erasureKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.erasure_requested': [foldErasureRequested],
  'vendor.harn_gateway.erasure_progressed': [foldErasureProgressed],
  'vendor.harn_gateway.erasure_completed': [foldErasureCompleted],
};

function foldErasureRequested(event: Event, states: StateWriter): void {
  const { erasure } = payload(event, 'vendor.harn_gateway.erasure_requested');
  const { id, workspace_id, subject } = erasure;
  states.set(erasureKeys.erasure(id), { resource: erasure, internal: {} } satisfies ErasureState);
  states.index(erasureKeys.erasuresOfWorkspace(workspace_id) + id);
  states.index(erasureKeys.openErasures + id);
  const key =
    subject.object === 'actor'
      ? erasureKeys.erasingActor(workspace_id, subject.id)
      : erasureKeys.erased(subject.id);
  states.set(key, erasedBy(erasure));
}

function erasedBy({ id, workspace_id, created_at }: Erasure): ErasedState {
  return { erasure_id: id, workspace_id, erased_at: created_at };
}

function foldErasureProgressed(event: Event, states: StateWriter): void {
  const { removed, task_ids, receipts, forks, of_actor } = payload(
    event,
    'vendor.harn_gateway.erasure_progressed',
  );
  const state = states.draft<ErasureState>(erasureKeys.erasure(event.resource.id));
  if (state === undefined) return;
  const { resource } = state;
  const counts = { ...resource.removed };
  for (const [name, n] of Object.entries(removed) as [keyof typeof counts, number][]) counts[name] += n;
  resource.removed = counts;
  resource.receipts = [...resource.receipts, ...receipts];
  resource.forks = [...new Set([...resource.forks, ...forks])];
  resource.updated_at = event.created_at;
  const erased = erasedBy(resource);
  for (const id of task_ids) states.set(erasureKeys.erased(id), erased);
  for (const { receipt_id, receipt_hash, log_index, chain } of receipts)
    states.set(erasureKeys.erased(receipt_id), {
      ...erased,
      receipt: { hash: receipt_hash, log_index, ...(chain && { chain }) },
    } satisfies ErasedState);
  if (of_actor !== undefined) foldOfActor(states, resource, of_actor);
}

type OfActor = NonNullable<PayloadOf<'vendor.harn_gateway.erasure_progressed'>['of_actor']>;

/** What is told of an actor grows from one transaction to the next, and says nothing twice. */
function foldOfActor(states: StateWriter, resource: Erasure, gone: OfActor): void {
  const { sessions = [], shared = [], held = [], unreplayable = [], resources = [] } = gone;
  const before = resource.of_actor ?? { sessions: [], shared: [], held: [], unreplayable: [] };
  const known = new Set(before.held.map(({ session_id }) => session_id));
  resource.of_actor = {
    sessions: [...new Set([...before.sessions, ...sessions])],
    shared: [...new Set([...before.shared, ...shared])],
    held: [...before.held, ...held.filter(({ session_id }) => !known.has(session_id))],
    unreplayable: [...new Set([...before.unreplayable, ...unreplayable])],
  };
  const erased = erasedBy(resource);
  for (const id of [...sessions, ...resources]) states.set(erasureKeys.erased(id), erased);
  for (const id of shared) states.set(erasureKeys.erasedIn(id), erased);
  for (const id of unreplayable) states.set(erasureKeys.unreplayable(id), erased);
}

function foldErasureCompleted(event: Event, states: StateWriter): void {
  const { id } = event.resource;
  const state = states.draft<ErasureState>(erasureKeys.erasure(id));
  if (state === undefined) return;
  Object.assign(state.resource, {
    state: 'completed',
    completed_at: event.created_at,
    updated_at: event.created_at,
  } satisfies Partial<Erasure>);
  states.unindex(erasureKeys.openErasures + id);
  const { subject, workspace_id } = state.resource;
  if (subject.object === 'actor') states.set(erasureKeys.erasingActor(workspace_id, subject.id), undefined);
}
