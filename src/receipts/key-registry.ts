import { type KeyObject, sign } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '#protocol/json.ts';
import { type Clock, type Random, timestamp } from '#protocol/ports.ts';
import { privateKeyOf, rawPublicKey, SEED_BYTES, thumbprint } from './ed25519.ts';
import {
  hasPrivateKey,
  KeyRegistryError,
  type KeyRow,
  prepareKeyDirectory,
  readPrivateKey,
  readRows,
  refuseLostKey,
  removePrivateKey,
  writePrivateKey,
  writeRows,
} from './key-files.ts';
import {
  keyOf,
  keysOfJwks,
  type PublicJwk,
  type PublicJwks,
  type SignatureVerdict,
  type VerificationKey,
  type VerificationKeys,
  verifySignature,
} from './verification-keys.ts';

export type { KeyRow } from './key-files.ts';
export type { PublicJwks } from './verification-keys.ts';

export interface SigningKey {
  readonly keyId: string;
  /** The 64-byte Ed25519 signature. Synchronous: 34 us, cheaper than a trip to the thread pool. */
  sign(bytes: Uint8Array): Buffer;
}

/** What checks signatures. */
export interface Verifier {
  /** What to check signatures with, by key id; keys that ended are among them. */
  verificationKeys(): VerificationKeys;
  /**
   * Checks a signature, whatever its time: for files only this machine wrote. A signature in base64 has to be in its only
   * correct spelling. Never throws.
   */
  verify(keyId: string, bytes: Uint8Array, signature: Uint8Array | string): SignatureVerdict;
}

export interface KeyRegistry extends Verifier {
  /** The key that signs now. */
  current(): SigningKey;
  /** Every key with its window, oldest first; private halves never leave the registry. */
  rows(): readonly KeyRow[];
  /** The same with keys of other nodes besides; nothing is written. */
  with(others: readonly KeyRow[]): Verifier;
  /**
   * Takes over what others of a log that several nodes write did with keys: keys of theirs are verified with, and those that ended have
   * ended here too. Where that is the one that signs here, a new one signs from `at` (RFC 3339) on. Throws as `rotate` does.
   */
  adopt(others: readonly KeyRow[], at: string): void;
  /**
   * A new key signs from `at` (RFC 3339) on, and the one before ends with it. When this returns both are durable; after a
   * crash the registry is the old one or the new one. Throws KeyRegistryError and file errors; then nothing changed.
   */
  rotate(at: string): KeyRow;
  /**
   * What the key signed from `at` on counts as forged. When it is the one that signs here, a new one takes its place in the same
   * step. Returns the row as it is now, the same again for a key that was revoked; undefined when there is no such key.
   */
  revoke(keyId: string, at: string): KeyRow | undefined;
  /** All keys, old ones too: old signatures stay checkable. */
  publicJwks(): PublicJwks;
}

export interface KeyRegistryOptions {
  /** `<data>/keys`; made with mode 0700 when missing. */
  dir: string;
  clock: Clock;
  random: Random;
  /**
   * A registry of an older version, which has no checksum, gets one. For who has the lock of the store only: beside a running
   * gateway it could undo a rotation. No by default.
   */
  addsChecksum?: boolean;
  /**
   * Opens although the private key that signs is gone; nothing can be signed before `rotate`. For an operator who is about to rotate
   * only: else a lost key is an error, which a backup mends. No by default.
   */
  opensWithoutKey?: boolean;
}

/** Opens the registry, and makes it with one key at the first start. Throws KeyRegistryError. */
export function openKeyRegistry(options: KeyRegistryOptions): KeyRegistry {
  prepareKeyDirectory(options.dir);
  const stored = readRows(options.dir);
  const rows = stored?.rows ?? firstRows(options);
  const registry = new FileKeyRegistry(options, rows);
  // Last, so that what is vouched for from now on is a registry whose key was there.
  if (stored?.isChecked === false && options.addsChecksum === true) writeRows(options.dir, rows);
  return registry;
}

/**
 * Writes the registry of a gateway from its public keys. Where the private one that signs is not in the directory it is lost: the others
 * stay to verify with, and a new one signs from now on, or from `signedMs`, when the lost one has signed last, on. Returns whether it
 * is there. Throws KeySetError for what is no JWKS, and KeyRegistryError.
 */
export function plantRegistry(options: KeyRegistryOptions, jwks: JsonValue, signedMs: number): boolean {
  const rows = [...keysOfJwks(jwks)].map(([keyId, { key, notBeforeMs, notAfterMs, revokedAtMs }]): KeyRow => {
    const at = (ms: number | undefined) => (ms === undefined ? null : timestamp(ms));
    return {
      key_id: keyId,
      algorithm: 'Ed25519',
      public_key: key.export({ format: 'jwk' }).x ?? '',
      not_before: timestamp(Math.max(0, notBeforeMs)),
      not_after: at(notAfterMs),
      revoked_at: at(revokedAtMs),
    };
  });
  prepareKeyDirectory(options.dir);
  const signs = rows.findLast(isCurrent);
  const isThere = signs !== undefined && hasPrivateKey(options.dir, signs.key_id);
  const now = timestamp(Math.max(options.clock.now(), signedMs));
  writeRows(options.dir, isThere ? rows : [...rows.map((row) => endedAt(row, now)), makeKey(options, now)]);
  return isThere;
}

function firstRows(options: KeyRegistryOptions): KeyRow[] {
  const row = makeKey(options, timestamp(options.clock.now()));
  writeRows(options.dir, [row]);
  return [row];
}

/** The private key is durable before the row that names it. */
function makeKey({ dir, random }: KeyRegistryOptions, notBefore: string): KeyRow {
  const key = privateKeyOf(random.bytes(SEED_BYTES));
  const raw = rawPublicKey(key);
  const row: KeyRow = {
    key_id: thumbprint(raw),
    algorithm: 'Ed25519',
    public_key: raw.toString('base64url'),
    not_before: notBefore,
    not_after: null,
    revoked_at: null,
  };
  writePrivateKey(dir, row.key_id, key);
  return row;
}

class FileKeyRegistry implements KeyRegistry {
  readonly #options: KeyRegistryOptions;
  #rows: readonly KeyRow[];
  #keys: ReadonlyMap<string, VerificationKey>;
  #current: SigningKey;

  constructor(options: KeyRegistryOptions, rows: readonly KeyRow[]) {
    this.#options = options;
    this.#rows = rows;
    this.#keys = verificationKeys(rows);
    this.#current = signingKey(options, rows);
    this.#forgetEndedKeys();
  }

  current(): SigningKey {
    return this.#current;
  }

  rows(): readonly KeyRow[] {
    return this.#rows;
  }

  verificationKeys(): VerificationKeys {
    return this.#keys;
  }

  verify(keyId: string, bytes: Uint8Array, signature: Uint8Array | string): SignatureVerdict {
    return verifySignature(this.#keys, { keyId, bytes, signature, timesMs: [] });
  }

  with(others: readonly KeyRow[]): Verifier {
    const keys = verificationKeys(merged(this.#rows, others));
    return {
      verificationKeys: () => keys,
      verify: (keyId, bytes, signature) => verifySignature(keys, { keyId, bytes, signature, timesMs: [] }),
    };
  }

  adopt(others: readonly KeyRow[], at: string): void {
    const rows = merged(this.#rows, others);
    if (isDeepStrictEqual(rows, this.#rows)) return;
    const signs = rows.some((row) => row.key_id === this.#current.keyId && isCurrent(row));
    this.#replace(signs ? rows : [...rows, makeKey(this.#options, at)]);
  }

  rotate(at: string): KeyRow {
    const row = makeKey(this.#options, at);
    this.#replace([...this.#rows.map((old) => endedAt(old, at)), row]);
    return row;
  }

  revoke(keyId: string, at: string): KeyRow | undefined {
    const row = this.#rows.find((candidate) => candidate.key_id === keyId);
    if (row === undefined || row.revoked_at !== null) return row;
    const revoked = { ...endedAt(row, at), revoked_at: at };
    const rows = this.#rows.map((other) => (other === row ? revoked : other));
    this.#replace(row.key_id === this.#current.keyId ? [...rows, makeKey(this.#options, at)] : rows);
    return revoked;
  }

  publicJwks(): PublicJwks {
    const jwks = this.#rows.map(publicJwk);
    return {
      keys: jwks.filter((jwk) => jwk.revoked_at === undefined),
      revoked_keys: jwks.filter((jwk) => jwk.revoked_at !== undefined),
    };
  }

  /** The file is the truth: memory follows it. */
  #replace(rows: readonly KeyRow[]): void {
    writeRows(this.#options.dir, rows);
    this.#rows = rows;
    this.#keys = verificationKeys(rows);
    this.#current = signingKey(this.#options, rows);
    this.#forgetEndedKeys();
  }

  /** A private key that signs no more can only be stolen; also finishes what a crash interrupted. */
  #forgetEndedKeys(): void {
    for (const row of this.#rows) if (row.not_after !== null) removePrivateKey(this.#options.dir, row.key_id);
  }
}

function endedAt(row: KeyRow, at: string): KeyRow {
  return row.not_after === null ? { ...row, not_after: at } : row;
}

const isCurrent = (row: KeyRow): boolean => row.not_after === null && row.revoked_at === null;

/** Keys of others stand first: the last one that has not ended is the one that signs here. */
function merged(rows: readonly KeyRow[], others: readonly KeyRow[]): KeyRow[] {
  const own = new Set(rows.map(({ key_id }) => key_id));
  const said = new Map(others.map((row) => [row.key_id, row]));
  return [
    ...others.filter(({ key_id }) => !own.has(key_id)),
    ...rows.map((row) => {
      const { not_after = null, revoked_at = null } = said.get(row.key_id) ?? {};
      return { ...row, not_after: row.not_after ?? not_after, revoked_at: row.revoked_at ?? revoked_at };
    }),
  ];
}

function verificationKeys(rows: readonly KeyRow[]): Map<string, VerificationKey> {
  return new Map(rows.map((row) => [row.key_id, keyOf(publicJwk(row), row.key_id)]));
}

function signingKey(
  { dir, opensWithoutKey = false }: KeyRegistryOptions,
  rows: readonly KeyRow[],
): SigningKey {
  const row = rows.findLast(isCurrent);
  if (row === undefined)
    throw new KeyRegistryError(dir, 'every signing key has ended. Restore registry.json from a backup.');
  if (opensWithoutKey && !hasPrivateKey(dir, row.key_id))
    return { keyId: row.key_id, sign: () => refuseLostKey(dir, row.key_id) };
  const key = readPrivateKey(dir, row.key_id);
  if (key.asymmetricKeyType !== 'ed25519' || thumbprint(rawPublicKey(key)) !== row.key_id)
    throw new KeyRegistryError(
      dir,
      `${row.key_id}.pem is not the key its name says. Restore it from a backup.`,
    );
  return signerOf(row.key_id, key);
}

function signerOf(keyId: string, key: KeyObject): SigningKey {
  return { keyId, sign: (bytes) => sign(null, bytes, key) };
}

function publicJwk(row: KeyRow): PublicJwk {
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x: row.public_key,
    kid: row.key_id,
    alg: 'EdDSA',
    use: 'sig',
    not_before: row.not_before,
    ...(row.not_after === null ? {} : { not_after: row.not_after }),
    ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at }),
  };
}
