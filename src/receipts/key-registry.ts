import { type KeyObject, sign, verify } from 'node:crypto';
import { type Clock, type Random, timestamp } from '../protocol/ports.ts';
import {
  privateKeyOf,
  publicKeyOf,
  rawPublicKey,
  SEED_BYTES,
  SIGNATURE_BYTES,
  thumbprint,
} from './ed25519.ts';
import {
  KeyRegistryError,
  type KeyRow,
  prepareKeyDirectory,
  readPrivateKey,
  readRows,
  writePrivateKey,
  writeRows,
} from './key-files.ts';
import { decodeStrictBase64 } from './strict-base64.ts';

export interface SigningKey {
  readonly keyId: string;
  /** The 64-byte Ed25519 signature. Synchronous: 34 us, cheaper than a trip to the thread pool. */
  sign(bytes: Uint8Array): Buffer;
}

export type SignatureVerdict = 'ok' | 'unknown_key' | 'invalid_signature';

/** A public key as served at /.well-known/jwks.json. Spec: RFC 8037. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

export interface KeyRegistry {
  /** The key that signs now. */
  current(): SigningKey;
  /** Checks a raw signature, or one in standard base64 in its only correct spelling. Never throws. */
  verify(keyId: string, bytes: Uint8Array, signature: Uint8Array | string): SignatureVerdict;
  /** All keys, old ones too: old signatures stay checkable. */
  publicJwks(): { keys: PublicJwk[] };
}

export interface KeyRegistryOptions {
  /** `<data>/keys`; made with mode 0700 when missing. */
  dir: string;
  clock: Clock;
  random: Random;
}

/** Opens the registry, and makes it with one key at the first start. Throws KeyRegistryError. */
export function openKeyRegistry(options: KeyRegistryOptions): KeyRegistry {
  prepareKeyDirectory(options.dir);
  const rows = readRows(options.dir) ?? firstRows(options);
  return new FileKeyRegistry(options.dir, rows);
}

/** The private key is durable before the row that names it. */
function firstRows({ dir, clock, random }: KeyRegistryOptions): KeyRow[] {
  const key = privateKeyOf(random.bytes(SEED_BYTES));
  const raw = rawPublicKey(key);
  const row: KeyRow = {
    key_id: thumbprint(raw),
    algorithm: 'Ed25519',
    public_key: raw.toString('base64url'),
    not_before: timestamp(clock.now()),
    not_after: null,
    revoked_at: null,
  };
  writePrivateKey(dir, row.key_id, key);
  writeRows(dir, [row]);
  return [row];
}

class FileKeyRegistry implements KeyRegistry {
  readonly #rows: readonly KeyRow[];
  readonly #publicKeys = new Map<string, KeyObject>();
  readonly #current: SigningKey;

  constructor(dir: string, rows: readonly KeyRow[]) {
    this.#rows = rows;
    for (const row of rows)
      this.#publicKeys.set(row.key_id, publicKeyOf(Buffer.from(row.public_key, 'base64url')));
    this.#current = signingKey(dir, rows);
  }

  current(): SigningKey {
    return this.#current;
  }

  verify(keyId: string, bytes: Uint8Array, signature: Uint8Array | string): SignatureVerdict {
    const key = this.#publicKeys.get(keyId);
    if (key === undefined) return 'unknown_key';
    const raw = typeof signature === 'string' ? decodeStrictBase64(signature, 'base64') : signature;
    if (raw?.length !== SIGNATURE_BYTES) return 'invalid_signature';
    return verify(null, bytes, key, raw) ? 'ok' : 'invalid_signature';
  }

  publicJwks(): { keys: PublicJwk[] } {
    return { keys: this.#rows.map(publicJwk) };
  }
}

function signingKey(dir: string, rows: readonly KeyRow[]): SigningKey {
  const row = rows.findLast((candidate) => candidate.not_after === null && candidate.revoked_at === null);
  if (row === undefined) throw new KeyRegistryError(dir, 'every signing key has ended. Rotate in a new one.');
  const key = readPrivateKey(dir, row.key_id);
  if (key.asymmetricKeyType !== 'ed25519' || thumbprint(rawPublicKey(key)) !== row.key_id)
    throw new KeyRegistryError(
      dir,
      `${row.key_id}.pem is not the key its name says. Restore it from a backup.`,
    );
  return { keyId: row.key_id, sign: (bytes) => sign(null, bytes, key) };
}

function publicJwk(row: KeyRow): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x: row.public_key, kid: row.key_id, alg: 'EdDSA', use: 'sig' };
}
