import { createPrivateKey, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '#protocol/json.ts';
import { writeFileAtomicSync } from '#store/atomic-file.ts';
import { checkedText, hasMembers, readCheckedText } from '#store/checked-file.ts';
import { publicKeyOf, thumbprint } from './ed25519.ts';
import { decodeStrictBase64 } from './strict-base64.ts';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const REGISTRY_VERSION = 1;

/** One line of registry.json. Times are RFC 3339; the key signs from `not_before` until `not_after` or `revoked_at`. */
export interface KeyRow {
  key_id: string;
  algorithm: 'Ed25519';
  /** Raw 32 bytes, base64url. */
  public_key: string;
  not_before: string;
  not_after: string | null;
  revoked_at: string | null;
}

/** The signing keys cannot be used; the message says which file and what the operator changes. Nothing was changed. */
export class KeyRegistryError extends Error {
  override readonly name = 'KeyRegistryError';
  readonly path: string;

  constructor(path: string, fault: string, cause?: unknown) {
    super(`${path}: ${fault}`, cause === undefined ? undefined : { cause });
    this.path = path;
  }
}

/** What the lost key signed stays valid: its public half is in the registry. */
const LOST =
  'is missing, and it is the key that signs. Restore it from a backup; without one stop the gateway and let a new key sign: harn-gateway keys rotate --offline.';

const registryPath = (dir: string): string => join(dir, 'registry.json');
const privatePath = (dir: string, keyId: string): string => join(dir, `${keyId}.pem`);

/** Makes the directory with mode 0700, or refuses one that others may enter. */
export function prepareKeyDirectory(dir: string): void {
  if (existsSync(dir)) {
    refuseWide(dir, DIRECTORY_MODE);
    return;
  }
  try {
    mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE });
    chmodSync(dir, DIRECTORY_MODE);
  } catch (cause) {
    throw new KeyRegistryError(dir, `cannot be made: ${messageOf(cause)}`, cause);
  }
}

/**
 * All rows of the registry, checked, and whether the file had a checksum, as those of older versions have not; undefined when
 * there is no registry yet.
 */
export function readRows(dir: string): { rows: KeyRow[]; isChecked: boolean } | undefined {
  const path = registryPath(dir);
  if (!existsSync(path)) return undefined;
  const text = readGuarded(path);
  try {
    const { value, isChecked } = readCheckedText(text);
    return { rows: rowsOf(value), isChecked };
  } catch (cause) {
    throw new KeyRegistryError(path, `${messageOf(cause)}. Restore it from a backup.`, cause);
  }
}

export function writeRows(dir: string, rows: readonly KeyRow[]): void {
  const text = checkedText({ version: REGISTRY_VERSION, keys: rows.map((row) => ({ ...row })) });
  writeFileAtomicSync(registryPath(dir), text, FILE_MODE);
}

export function hasPrivateKey(dir: string, keyId: string): boolean {
  return existsSync(privatePath(dir, keyId));
}

export function refuseLostKey(dir: string, keyId: string): never {
  throw new KeyRegistryError(privatePath(dir, keyId), LOST);
}

export function readPrivateKey(dir: string, keyId: string): KeyObject {
  const path = privatePath(dir, keyId);
  if (!existsSync(path)) refuseLostKey(dir, keyId);
  const pem = readGuarded(path);
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new KeyRegistryError(path, 'is no private key. Restore it from a backup.', cause);
  }
}

export function writePrivateKey(dir: string, keyId: string, key: KeyObject): void {
  const pem = key.export({ format: 'pem', type: 'pkcs8' });
  writeFileAtomicSync(privatePath(dir, keyId), pem, FILE_MODE);
}

export function removePrivateKey(dir: string, keyId: string): void {
  rmSync(privatePath(dir, keyId), { force: true });
}

function readGuarded(path: string): string {
  try {
    refuseWide(path, FILE_MODE);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof KeyRegistryError) throw cause;
    throw new KeyRegistryError(path, `cannot be read: ${messageOf(cause)}`, cause);
  }
}

function refuseWide(path: string, allowed: number): void {
  // Windows has no such modes; there the access list of the data directory decides.
  if (process.platform === 'win32') return;
  const mode = statSync(path).mode & 0o777;
  if ((mode & ~allowed) === 0) return;
  const wanted = allowed.toString(8);
  throw new KeyRegistryError(
    path,
    `has mode ${mode.toString(8)}, too wide for keys. Run: chmod ${wanted} ${path}`,
  );
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function rowsOf(value: JsonValue): KeyRow[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('is no object');
  if (value.version !== REGISTRY_VERSION) throw new Error(`has version ${String(value.version)}, not 1`);
  if (!hasMembers(value, ['version', 'keys'])) throw new Error('has members that are none of a registry');
  if (!Array.isArray(value.keys) || value.keys.length === 0) throw new Error('lists no keys');
  return value.keys.map((row, index) => rowOf(row, `keys[${index}]`));
}

const ROW_MEMBERS = ['key_id', 'algorithm', 'public_key', 'not_before', 'not_after', 'revoked_at'];

function rowOf(row: JsonValue, where: string): KeyRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new Error(`${where} is no object`);
  if (!hasMembers(row, ROW_MEMBERS)) throw new Error(`${where} has other members than a key`);
  if (row.algorithm !== 'Ed25519') throw new Error(`${where}.algorithm is not Ed25519`);
  const publicKey = typeof row.public_key === 'string' ? row.public_key : '';
  const raw = decodeStrictBase64(publicKey, 'base64url');
  if (raw === undefined) throw new Error(`${where}.public_key is not base64url`);
  publicKeyOf(raw);
  if (row.key_id !== thumbprint(raw))
    throw new Error(`${where}.key_id is not the thumbprint of its public_key`);
  return {
    key_id: row.key_id,
    algorithm: 'Ed25519',
    public_key: publicKey,
    not_before: timeOf(row.not_before, `${where}.not_before`),
    not_after: row.not_after === null ? null : timeOf(row.not_after, `${where}.not_after`),
    revoked_at: row.revoked_at === null ? null : timeOf(row.revoked_at, `${where}.revoked_at`),
  };
}

function timeOf(value: JsonValue | undefined, where: string): string {
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
  throw new Error(`${where} is no time`);
}
