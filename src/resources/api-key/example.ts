import { resource } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const API_KEY = resource('api_key', 'apikey_01KAHG6QJC3G0Z2K4N6Q8S0V2', {
  name: 'ci',
  actor: 'ci-bot',
  tenant_id: 'tenant_default',
  scopes: ['tasks:write', 'tasks:read'],
  workspaces: ['workspace_default'],
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  ApiKey: API_KEY,
  IssuedApiKey: { ...API_KEY, key: 'harn_live_ci_not-a-real-key' },
  CreateApiKeyRequest: {
    name: 'ci',
    actor: 'ci-bot',
    scopes: ['tasks:write', 'tasks:read'],
    workspaces: ['workspace_default'],
  },
  RotateApiKeyRequest: { overlap_seconds: 3600 },
} satisfies Examples;
