import type { Clean } from '#protocol/clean.ts';
import { type Folded, foreign, idKey, textList } from '#resources/states.ts';
import type { ApiKey } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const apiKeyKeys = {
  apiKey: idKey<CleanApiKeyState>('r/api_key/'),
  apiKeysOfActor: (tenant: string, actor: string) =>
    `x/actor-keys/${foreign(JSON.stringify([tenant, actor]))}`,
  apiKeyOfHash: idKey('x/api-key/'),
  /** By tenant. */
  apiKeys: textList('l/api-key/'),
} as const;

/** `hash` is that of the whole key, as in the configuration. */
export type ApiKeyState = Folded<ApiKey, { tenant: string; hash: string }>;

/** As they are read: what was folded of clean events is clean. */
export type CleanApiKeyState = Clean<ApiKeyState>;
