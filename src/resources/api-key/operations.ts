import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { API_KEY_SOURCES, apiKey, createApiKeyRequest, issuedApiKey, rotateApiKeyRequest } from './schema.ts';

export const apiKeysOperations = {
  listApiKeys: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/api-keys',
    tag: 'Administration',
    summary: 'List the API keys made here, newest first, or those of the configuration.',
    scope: 'admin',
    level: 'vendor',
    success: 200,
    query: page.extend({
      source: z
        .enum(API_KEY_SOURCES)
        .default('made')
        .describe(
          '`made`: made here at run time; `configured`: of the configuration file, or the development key where nobody else could call.',
        ),
    }),
    response: listOf(apiKey),
  },
  createApiKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/api-keys',
    tag: 'Administration',
    summary: 'Make an API key and show it once; it may do no more than its maker.',
    scope: 'admin',
    level: 'vendor',
    success: 201,
    body: createApiKeyRequest,
    response: issuedApiKey,
  },
  rotateApiKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/api-keys/{key_id}/rotate',
    tag: 'Administration',
    summary: 'Make the successor of an API key; the old one works for a while beside it.',
    scope: 'admin',
    level: 'vendor',
    success: 201,
    body: rotateApiKeyRequest,
    bodyRequired: false,
    response: issuedApiKey,
  },
  revokeApiKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/api-keys/{key_id}/revoke',
    tag: 'Administration',
    summary: 'End an API key at once; open streams end within seconds.',
    scope: 'admin',
    level: 'vendor',
    success: 200,
    response: apiKey,
  },
} as const satisfies Record<string, OperationRow>;
