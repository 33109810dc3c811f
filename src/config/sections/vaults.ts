import { z } from 'zod';
import { VAULT_PROVIDERS, type VaultRow } from '#resources/vault/secrets/vault-row.ts';
import { localSecretRef } from '../secret.ts';
import { filePath, operatorId } from '../shapes.ts';
import { DEFAULT_TENANT } from './tenancy.ts';

/** What each provider needs. */
const MEMBERS = {
  environment: { takes: ['prefix'], needs: [] },
  file: { takes: ['dir'], needs: ['dir'] },
  encrypted_file: { takes: ['file', 'key'], needs: ['file', 'key'] },
} as const satisfies Record<VaultRow['provider'], object>;
const ALL_MEMBERS = ['prefix', 'dir', 'file', 'key'] as const;

const vault = z
  .strictObject({
    id: operatorId
      .describe('Id of the vault; its secrets are named {vault: <id>/<name>}.')
      .meta({ examples: ['shop'] }),
    workspace: operatorId
      .optional()
      .describe('Workspace whose tasks may use it. Unset: every workspace of its tenant.')
      .meta({ examples: ['workspace_default'] }),
    tenant: operatorId.default(DEFAULT_TENANT).describe('Tenant that it belongs to.'),
    provider: z
      .enum(VAULT_PROVIDERS, `must be one of ${VAULT_PROVIDERS.join(', ')}`)
      .describe(
        'Variables of the gateway (environment), a directory with a file for each secret (file), or one file made with "harn-gateway vault" (encrypted_file).',
      )
      .meta({ examples: ['encrypted_file'] }),
    prefix: z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'must be the beginning of a variable: A-Z, 0-9 and "_"')
      .optional()
      .describe('For environment: what its variables begin with; the secret db-login is <prefix>DB_LOGIN.')
      .meta({ examples: ['SHOP_'] }),
    dir: filePath
      .optional()
      .describe('For file: the directory; each file holds one secret and is named like it.')
      .meta({ examples: ['/run/secrets/shop'] }),
    file: filePath
      .optional()
      .describe('For encrypted_file: the file.')
      .meta({ examples: ['/etc/harn/shop.vault'] }),
    key: localSecretRef
      .optional()
      .describe('For encrypted_file: where its key is, {env: NAME} or {file: PATH}.')
      .meta({ examples: [{ env: 'SHOP_VAULT_KEY' }] }),
  })
  .superRefine((row, context) => {
    const { takes, needs }: { takes: readonly string[]; needs: readonly string[] } = MEMBERS[row.provider];
    for (const name of ALL_MEMBERS) {
      const add = (message: string) => context.addIssue({ code: 'custom', path: [name], message });
      if (row[name] !== undefined && !takes.includes(name)) add(`is not for the provider ${row.provider}`);
      if (row[name] === undefined && needs.includes(name))
        add(`is required for the provider ${row.provider}`);
    }
  });
export type VaultSettings = z.output<typeof vault>;

export const vaults = z
  .array(vault)
  .default([])
  .describe(
    'Where secrets are kept. What is in them reaches the calls of agents and tools, and nothing else.',
  );
