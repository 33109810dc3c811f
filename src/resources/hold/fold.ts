import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type HoldState, type HoldsOfSession, holdKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.hold_created': [foldHoldCreated],
  'vendor.harn_gateway.hold_released': [foldHoldReleased],
};

function foldHoldCreated(event: Event, states: StateWriter): void {
  const { hold } = payload(event, 'vendor.harn_gateway.hold_created');
  states.set(holdKeys.hold(hold.id), { resource: hold, internal: {} } satisfies HoldState);
  states.index(holdKeys.holdsOfWorkspace(hold.workspace_id) + hold.id);
  for (const id of hold.session_ids) {
    const { ids } = states.get<HoldsOfSession>(holdKeys.holdsOf(id)) ?? { ids: [] };
    states.set(holdKeys.holdsOf(id), { ids: [...ids, hold.id] } satisfies HoldsOfSession);
    states.index(holdKeys.holdsOfSession(id) + hold.id);
  }
  if (hold.expires_at !== null) states.index(`${holdKeys.expiringHolds}${hold.expires_at}/${hold.id}`);
}

function foldHoldReleased(event: Event, states: StateWriter): void {
  const ending = payload(event, 'vendor.harn_gateway.hold_released');
  const key = holdKeys.hold(event.resource.id);
  const state = states.get<HoldState>(key);
  if (!state) return;
  const { id, session_ids, expires_at } = state.resource;
  const resource = { ...state.resource, ...ending, updated_at: event.created_at };
  states.set(key, { ...state, resource } satisfies HoldState);
  for (const session of session_ids) {
    const held = holdKeys.holdsOf(session);
    const ids = (states.get<HoldsOfSession>(held)?.ids ?? []).filter((other) => other !== id);
    states.set(held, ids.length === 0 ? undefined : ({ ids } satisfies HoldsOfSession));
  }
  if (expires_at !== null) states.unindex(`${holdKeys.expiringHolds}${expires_at}/${id}`);
}
