import { z } from 'zod';
import { SCOPES } from '../../protocol/scopes.ts';
import { operatorId } from '../shapes.ts';
import { DEFAULT_TENANT, DEFAULT_WORKSPACE } from './tenancy.ts';

const apiKey = z.strictObject({
  id: operatorId.describe('Name of the key in logs and listings.').meta({ examples: ['ci'] }),
  hash: z
    .string()
    .regex(
      /^sha256:[0-9a-f]{64}$/,
      'must be "sha256:" and the 64 lower-case hex digits of the SHA-256 of the whole key',
    )
    .describe('"sha256:" and the hex SHA-256 of the whole key; the key itself is never written down here.')
    .meta({ examples: [`sha256:${'0'.repeat(64)}`] }),
  actor: z
    .string()
    .min(1)
    .max(200)
    .describe('Who calls with this key; recorded with every event.')
    .meta({ examples: ['ci-bot'] }),
  tenant: operatorId.default(DEFAULT_TENANT).describe('Tenant of the actor.'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'must grant at least one scope')
    .default(['*'])
    .describe('What the key may do.'),
  workspaces: z
    .array(operatorId)
    .min(1, 'must name at least one workspace')
    .default([DEFAULT_WORKSPACE])
    .describe('Workspaces of the key; the first one is its default.'),
});
export type ApiKeySettings = z.output<typeof apiKey>;

export const auth = z
  .strictObject({
    api_keys: z
      .array(apiKey)
      .default([])
      .describe(
        'Keys that callers may use. None, on loopback: one development key is made at the first start.',
      ),
  })
  .prefault({})
  .describe('Who may call.');
