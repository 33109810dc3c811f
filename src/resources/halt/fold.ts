import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type CleanHaltState, type HaltState, type HaltsInForceState, haltKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.halt_created': [foldHaltCreated],
  'vendor.harn_gateway.halt_released': [foldHaltReleased],
};

/** The halts in force, oldest first. */
export function haltsInForce(states: StateReader): CleanHaltState['resource'][] {
  const { ids } = states.get<HaltsInForceState>(haltKeys.inForce) ?? { ids: [] };
  return ids.flatMap((id) => states.get<CleanHaltState>(haltKeys.halt(id))?.resource ?? []);
}

function foldHaltCreated(event: Event, states: StateWriter): void {
  const { halt } = payload(event, 'vendor.harn_gateway.halt_created');
  const tenant = String(event.metadata['tenant_id'] ?? '');
  states.set(haltKeys.halt(halt.id), { resource: halt, internal: { tenant } } satisfies HaltState);
  const { ids } = states.get<HaltsInForceState>(haltKeys.inForce) ?? { ids: [] };
  states.set(haltKeys.inForce, { ids: [...ids, halt.id] } satisfies HaltsInForceState);
  states.index(haltKeys.halts + halt.id);
}

function foldHaltReleased(event: Event, states: StateWriter): void {
  const released = payload(event, 'vendor.harn_gateway.halt_released');
  const key = haltKeys.halt(event.resource.id);
  const state = states.get<HaltState>(key);
  if (state === undefined) return;
  const resource = { ...state.resource, ...released, updated_at: event.created_at };
  states.set(key, { ...state, resource } satisfies HaltState);
  const { ids } = states.get<HaltsInForceState>(haltKeys.inForce) ?? { ids: [] };
  const left = ids.filter((id) => id !== event.resource.id);
  states.set(haltKeys.inForce, left.length === 0 ? undefined : ({ ids: left } satisfies HaltsInForceState));
}
