import { z } from 'zod';
import type { OperationRow } from '#protocol/operation-row.ts';
import { bundleImport, bundleValidation, exportBundleRequest } from './schema.ts';
import { sessionBundle } from './session-bundle-schema.ts';

const allowance = z.object({
  allow_unsafe_secret_markers: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Takes a bundle although something in it looks like a secret.'),
});

export const bundlesOperations = {
  exportBundle: {
    kind: 'query',
    method: 'POST',
    path: '/v1/bundles/export',
    tag: 'Bundles',
    summary: 'Export a Session, or one of its Tasks, as a session bundle; it is streamed.',
    scope: 'bundles:read',
    level: 'vendor',
    success: 200,
    body: exportBundleRequest,
    response: sessionBundle,
  },
  validateBundle: {
    kind: 'query',
    method: 'POST',
    path: '/v1/bundles/validate',
    tag: 'Bundles',
    summary: 'Check a session bundle without writing anything; the finding names the step and the place.',
    scope: 'bundles:read',
    level: 'vendor',
    success: 200,
    query: allowance,
    body: 'spooled',
    response: bundleValidation,
  },
  importBundle: {
    kind: 'command',
    method: 'POST',
    path: '/v1/bundles/import',
    tag: 'Bundles',
    summary:
      'Restore the Session of a bundle, in a Workspace made for it; the same bundle again changes nothing.',
    scope: 'bundles:write',
    level: 'vendor',
    success: 200,
    query: allowance,
    body: 'spooled',
    response: bundleImport,
  },
} as const satisfies Record<string, OperationRow>;
