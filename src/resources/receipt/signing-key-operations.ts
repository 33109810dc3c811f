import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { keySet, signingKey } from './signing-key-schema.ts';

export const signingKeysOperations = {
  getKeySet: {
    kind: 'document',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'Signing keys',
    summary: 'Read the public keys that verify receipts, heads of the receipt log and cards.',
    scope: 'public',
    level: 'vendor',
    success: 200,
    response: keySet,
  },
  listSigningKeys: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/signing-keys',
    tag: 'Signing keys',
    summary: 'List the signing keys with their windows, those that ended too.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    query: page,
    response: listOf(signingKey),
  },
  rotateSigningKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/signing-keys',
    tag: 'Signing keys',
    summary: 'Rotate: a new key signs from now on; what the one before signed stays valid.',
    scope: 'operator',
    level: 'vendor',
    success: 201,
    response: signingKey,
  },
  revokeSigningKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/signing-keys/{signing_key_id}/revoke',
    tag: 'Signing keys',
    summary: 'Revoke: what the key signs from now on counts as forged. The key that signs is replaced.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    response: signingKey,
  },
} as const satisfies Record<string, OperationRow>;
