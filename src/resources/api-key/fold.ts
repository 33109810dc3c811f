import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type ApiKeyState, apiKeyKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.api_key_created': [foldApiKeyCreated],
  'vendor.harn_gateway.api_key_ended': [foldApiKeyEnded],
};

/** Keys of one actor: those that were live when the newest of them was made, and that one. */
interface ActorKeysState {
  ids: string[];
}

/** Whether a key is accepted at `time` (RFC 3339). */
export function isLive(
  { revoked_at, expires_at }: Pick<ApiKeyState['resource'], 'revoked_at' | 'expires_at'>,
  time: string,
): boolean {
  return revoked_at === null && (expires_at === null || expires_at > time);
}

/** Keys of an actor that are live at a time, oldest first. */
export function liveKeysOf(states: StateReader, tenant: string, actor: string, time: string): string[] {
  const { ids } = states.get<ActorKeysState>(apiKeyKeys.apiKeysOfActor(tenant, actor)) ?? { ids: [] };
  return ids.filter((id) => {
    const state = states.get<ApiKeyState>(apiKeyKeys.apiKey(id));
    return state !== undefined && isLive(state.resource, time);
  });
}

function foldApiKeyCreated(event: Event, states: StateWriter): void {
  const { api_key, hash } = payload(event, 'vendor.harn_gateway.api_key_created');
  states.set(apiKeyKeys.apiKey(api_key.id), {
    resource: api_key,
    internal: { tenant: api_key.tenant_id, hash },
  } satisfies ApiKeyState);
  states.set(apiKeyKeys.apiKeyOfHash(hash), { id: api_key.id });
  const { actor, tenant_id } = api_key;
  const ids = [...liveKeysOf(states, tenant_id, actor, event.created_at), api_key.id];
  states.set(apiKeyKeys.apiKeysOfActor(tenant_id, actor), { ids } satisfies ActorKeysState);
  states.index(apiKeyKeys.apiKeys(api_key.tenant_id) + api_key.id);
}

function foldApiKeyEnded(event: Event, states: StateWriter): void {
  const ending = payload(event, 'vendor.harn_gateway.api_key_ended');
  const key = apiKeyKeys.apiKey(event.resource.id);
  const state = states.get<ApiKeyState>(key);
  if (!state) return;
  const resource = { ...state.resource, ...ending, updated_at: event.created_at };
  states.set(key, { ...state, resource } satisfies ApiKeyState);
}
