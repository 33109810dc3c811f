import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';

/** Lower-case hex SHA-256. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** What is only in a backup that asks for it, and then encrypted. */
export const backupSecrets = z.enum(['keys', 'vaults']);
export type BackupSecrets = z.infer<typeof backupSecrets>;

/** How the key pair of a passphrase is made again: by scrypt (RFC 7914) with N = 2^cost, r = 8, p = 1. */
export const passphraseKey = z.strictObject({
  kdf: z.literal('scrypt'),
  salt: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'must be 16 bytes in base64url'),
  cost: z.int().min(15).max(20),
});
export type PassphraseKey = z.infer<typeof passphraseKey>;

export const backupRequest = z
  .strictObject({
    since: z
      .strictObject({ commit: z.int().min(1), hash: sha256 })
      .optional()
      .describe(
        'Newest commit of the backup before, of which this is the increment. Without it: a full one.',
      ),
    include: z
      .array(backupSecrets)
      .max(2)
      .default([])
      .describe(
        'Secrets that go along, encrypted to the recipient: signing and input keys, configured vaults.',
      ),
    recipient: z
      .strictObject({
        jwk: jsonObject.describe(
          'Public key (RFC 7517): X25519, P-256, P-384, P-521, or RSA of 2,048 bits or more.',
        ),
        passphrase: passphraseKey
          .optional()
          .describe(
            'Where the key was made of a passphrase: how. It stands in the backup; the passphrase is never sent.',
          ),
      })
      .optional()
      .describe('Who can read the secrets.'),
  })
  .meta({ id: 'BackupRequest' });
export type BackupRequest = z.infer<typeof backupRequest>;

const head = z.object({ commit: z.int().min(1), hash: sha256 });

/** What stands first in a backup. */
export const backupHeader = z.object({
  object: z.literal('backup'),
  format: z.literal(1),
  gateway: z.string(),
  log_id: z.string(),
  /** Form of the stored records. */
  schema: z.int(),
  created_at: z.iso.datetime(),
  /** Newest commit of the backup that this one goes on behind; null for a full one. */
  since: head.nullable(),
  /** Of the newest commit in it, as the gateway signs its own. */
  checkpoint: head.extend({
    event_id: z.string().regex(/^\d{20}$/),
    key_id: z.string(),
    log_id: z.string(),
    signature: z.string(),
    time: z.string(),
  }),
  /** Public keys of the gateway, with their windows: a JWKS. */
  signing_keys: jsonObject,
  include: z.array(backupSecrets),
  recipient: z
    .object({ thumbprint: z.string(), passphrase: passphraseKey.nullable() })
    .nullable()
    .describe('Whose key opens the secrets.'),
});
export type BackupHeader = z.infer<typeof backupHeader>;

/** What stands last in a backup, signed over the hash of everything before it. */
export const backupEnd = z.object({
  /** Records written, and keys that went. */
  records: z.int().min(0),
  erased: z.int().min(0),
  files: z.int().min(0),
  digest: sha256,
  key_id: z.string(),
  signature: z.string(),
});
export type BackupEnd = z.infer<typeof backupEnd>;

/** A file beside the log, under its name below the data directory; its bytes follow. */
export const backedUpFile = z.object({ path: z.string(), size: z.int().min(0) });
export type BackedUpFile = z.infer<typeof backedUpFile>;
