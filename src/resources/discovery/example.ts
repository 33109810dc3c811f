import { DEFAULT_VERSION, PROTOCOL_FAMILY, SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import { VERSION } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Discovery: {
    object: 'protocol_discovery',
    protocol_family: PROTOCOL_FAMILY,
    current_version: DEFAULT_VERSION,
    supported_versions: [...SUPPORTED_VERSIONS],
    capabilities: { rest: true, sse: true, websocket: true, receipts: false, replay: true },
  },
  Health: { ok: true, status: 'ok', version: VERSION },
  Readiness: { ok: true, status: 'ready', reason: null, details: {} },
  RuntimeVersion: { object: 'version', version: VERSION, protocol_version: DEFAULT_VERSION },
  /** The OpenAPI document itself. */
  JsonObject: { openapi: '3.1.0', info: { title: 'Harn gateway', version: DEFAULT_VERSION }, paths: {} },
  'getAsyncApiDocument.response': {
    asyncapi: '3.0.0',
    info: { title: 'Harn gateway: Events', version: VERSION },
    channels: {},
    operations: {},
  },
  KeySet: { keys: [], revoked_keys: [] },
  ProtectedResource: {
    resource: 'https://gateway.example.com',
    resource_name: 'harn-gateway',
    bearer_methods_supported: ['header'],
    authorization_servers: ['https://login.example.com'],
    scopes_supported: ['sessions:write', 'tasks:write', 'tasks:read'],
    dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    dpop_bound_access_tokens_required: false,
    tls_client_certificate_bound_access_tokens: false,
  },
} satisfies Examples;
