import type { Handlers } from '#core/handlers.ts';
import { createApiKey } from './createApiKey.ts';
import { listApiKeys } from './queries.ts';
import { revokeApiKey } from './revokeApiKey.ts';
import { rotateApiKey } from './rotateApiKey.ts';

export const apiKeyHandlers = {
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  listApiKeys,
} satisfies Partial<Handlers>;
