import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { ApiKeyState } from './states.ts';

export function foldApiKeyCreated(event: Event, states: StateWriter): void {
  const { api_key, hash } = payload(event, 'vendor.harn_gateway.api_key_created');
  states.set(stateKey.apiKey(api_key.id), {
    resource: api_key,
    internal: { tenant: api_key.tenant_id, hash },
  } satisfies ApiKeyState);
  states.set(stateKey.apiKeyOfHash(hash), { id: api_key.id });
  states.index(listPrefix.apiKeys(api_key.tenant_id) + api_key.id);
}

export function foldApiKeyEnded(event: Event, states: StateWriter): void {
  const ending = payload(event, 'vendor.harn_gateway.api_key_ended');
  const key = stateKey.apiKey(event.resource.id);
  const state = states.get<ApiKeyState>(key);
  if (!state) return;
  const resource = { ...state.resource, ...ending, updated_at: event.created_at };
  states.set(key, { ...state, resource } satisfies ApiKeyState);
}
