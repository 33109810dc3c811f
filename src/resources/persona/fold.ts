import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type PersonaState, personaKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.persona_created': [foldPersonaCreated],
  'vendor.harn_gateway.persona_updated': [foldPersonaUpdated],
};

function foldPersonaCreated(event: Event, states: StateWriter): void {
  const { persona, tenant, revision, file_hash } = payload(event, 'vendor.harn_gateway.persona_created');
  const state: PersonaState = { resource: persona, internal: { tenant, revision, file_hash } };
  states.set(personaKeys.persona(persona.id), state);
  states.index(personaKeys.personas(tenant) + persona.id);
}

function foldPersonaUpdated(event: Event, states: StateWriter): void {
  const { changes, revision, file_hash } = payload(event, 'vendor.harn_gateway.persona_updated');
  const key = personaKeys.persona(event.resource.id);
  const state = states.get<PersonaState>(key);
  if (!state) return;
  const resource = { ...state.resource, ...changes, updated_at: event.created_at };
  states.set(key, { resource, internal: { ...state.internal, revision, file_hash } } satisfies PersonaState);
}
