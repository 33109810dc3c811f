import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type JsonWebKey as NodeJwk,
  scryptSync,
} from 'node:crypto';
import { CompactEncrypt, calculateJwkThumbprint, compactDecrypt, errors } from 'jose';
import type { JsonObject } from '#protocol/json.ts';
import type { Random } from '#protocol/ports.ts';
import type { PassphraseKey } from '#resources/backup/schema.ts';

/** A file as it is in a backup: its name there, and its bytes. */
export interface SecretFile {
  name: string;
  bytes: Buffer;
}

/** The text, or the key, cannot be used; the message is a sentence that says why. */
export class BackupKeyError extends Error {
  override readonly name = 'BackupKeyError';
}

/** To whom secrets are encrypted. */
export interface Recipient {
  key: KeyObject;
  jwk: JsonObject;
  /** RFC 7638. */
  thumbprint: string;
}

const MIN_RSA_BITS = 2048;
/** By kind and curve of the key. Spec: RFC 7518, section 4. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  'OKP X25519': 'ECDH-ES+A256KW',
  'EC P-256': 'ECDH-ES+A256KW',
  'EC P-384': 'ECDH-ES+A256KW',
  'EC P-521': 'ECDH-ES+A256KW',
  RSA: 'RSA-OAEP-256',
};
const CIPHER = 'A256GCM';

function algorithmOf(key: KeyObject): string {
  const { kty = '', crv, n = '' } = key.export({ format: 'jwk' });
  const algorithm = ALGORITHMS[crv === undefined ? kty : `${kty} ${crv}`];
  const isShort = kty === 'RSA' && Buffer.from(n, 'base64url').length * 8 < MIN_RSA_BITS;
  if (algorithm !== undefined && !isShort) return algorithm;
  throw new BackupKeyError(
    `is a key of another kind; take X25519, P-256, P-384, P-521, or RSA of ${MIN_RSA_BITS} bits or more`,
  );
}

/** The public key of a JWK. Throws BackupKeyError. */
export async function recipientOf(jwk: JsonObject): Promise<Recipient> {
  if ('d' in jwk) throw new BackupKeyError('is a private key; give its public half');
  return recipient(readKey(() => createPublicKey({ key: jwk as NodeJwk, format: 'jwk' })));
}

async function recipient(key: KeyObject): Promise<Recipient> {
  algorithmOf(key);
  const jwk = key.export({ format: 'jwk' }) as JsonObject;
  return { key, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** The public key in a file, as PEM or JWK. Throws BackupKeyError. */
export async function readRecipient(text: string): Promise<Recipient> {
  if (/PRIVATE KEY/.test(text)) throw new BackupKeyError('holds a private key; give its public half');
  if (text.trimStart().startsWith('{')) return recipientOf(readKey(() => JSON.parse(text)));
  return recipient(readKey(() => createPublicKey(text)));
}

/** The private key in a file, as PEM or JWK. Throws BackupKeyError. */
export function readIdentity(text: string): KeyObject {
  const key = readKey(() =>
    text.trimStart().startsWith('{')
      ? createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
      : createPrivateKey(text),
  );
  algorithmOf(key);
  return key;
}

function readKey<Key>(read: () => Key): Key {
  try {
    return read();
  } catch (cause) {
    throw new BackupKeyError('holds no key that can be read; PEM and JWK are', { cause });
  }
}

const SALT_BYTES = 16;
const SCRYPT_COST = 17;
const SEED_BYTES = 32;
const BLOCK_SIZE = 8;
/** An X25519 private key in PKCS #8 up to its 32 bytes. Spec: RFC 8410. */
const X25519_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** How a fresh key pair is made of a passphrase. */
export function freshPassphraseKey(random: Random): PassphraseKey {
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('base64url');
  return { kdf: 'scrypt', salt, cost: SCRYPT_COST };
}

/** The private key of a passphrase: who encrypts needs its public half only, so that the passphrase stays where it is. */
export function identityOfPassphrase(passphrase: string, { salt, cost }: PassphraseKey): KeyObject {
  const N = 2 ** cost;
  // What scrypt needs, and as much again.
  const maxmem = 2 * 128 * N * BLOCK_SIZE;
  const options = { N, r: BLOCK_SIZE, p: 1, maxmem };
  const seed = scryptSync(passphrase.normalize('NFC'), Buffer.from(salt, 'base64url'), SEED_BYTES, options);
  return createPrivateKey({ key: Buffer.concat([X25519_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The public half of an identity. */
export function recipientOfIdentity(identity: KeyObject): Promise<Recipient> {
  return recipient(createPublicKey(identity));
}

/** The files as one JWE (RFC 7516), with a key of its own for this message. */
export function sealSecrets(files: readonly SecretFile[], { key }: Recipient): Promise<string> {
  const rows = files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }));
  return new CompactEncrypt(Buffer.from(JSON.stringify(rows)))
    .setProtectedHeader({ alg: algorithmOf(key), enc: CIPHER })
    .encrypt(key);
}

/** Throws BackupKeyError where the key is another one than that of the recipient. */
export async function openSecrets(sealed: string, identity: KeyObject): Promise<SecretFile[]> {
  try {
    const { plaintext } = await compactDecrypt(sealed, identity, {
      keyManagementAlgorithms: [algorithmOf(identity)],
      contentEncryptionAlgorithms: [CIPHER],
    });
    const rows = JSON.parse(Buffer.from(plaintext).toString('utf8')) as { name: string; base64: string }[];
    return rows.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') }));
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError)) throw cause;
    throw new BackupKeyError('does not open the secrets of this backup', { cause });
  }
}
