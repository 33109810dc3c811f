import { timingSafeEqual } from 'node:crypto';
import { sha256Bytes } from '#json/canonical.ts';
import type { Random } from '#protocol/ports.ts';
import { bearerToken } from './authorization.ts';
import type { Authenticate, Authentication, Caller, Standing } from './caller.ts';

/** An API key as the gateway keeps it: the hash of the whole key, never the key. */
export interface ApiKeyRecord {
  id: string;
  /** `sha256:` and 64 hex digits of the whole key. */
  hash: string;
  actor: string;
  tenant: string;
  scopes: readonly string[];
  workspaces: readonly string[];
}

/** A key that was made at run time: it can be revoked and can expire. */
export interface EndingKey {
  record: ApiKeyRecord;
  isLive(): boolean;
}

const SECRET_BYTES = 24;

const PARTITION_OF_KEY = /^harn_[a-z]+_p(\d{4})\./;

/**
 * `harn_<environment>_<id>_<secret>`: the prefix lets secret scanners find a leaked key. One that is known in one partition alone says
 * so before its id, `p0003.`; an id has no dot.
 */
export function newApiKey(environment: string, id: string, random: Random, partition?: string): string {
  const name = partition === undefined ? id : `p${partition}.${id}`;
  return `harn_${environment}_${name}_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`;
}

/** In which partition an API key was made, by its own words; undefined where it says none. */
export function partitionOfKey(key: string): string | undefined {
  return PARTITION_OF_KEY.exec(key)?.[1];
}

export function apiKeyHash(key: string): string {
  return `sha256:${sha256Bytes(key).toString('hex')}`;
}

/**
 * Authenticates bearer API keys: configured ones, and those that `madeHere` finds in the log. A key has at least 128
 * random bits, so a plain SHA-256 is the right hash; the digest is looked up and then compared in constant time. `isLive`: whether
 * a configured key still is as it was; connections of one that is not end. Default: always.
 */
export function apiKeyAuthenticator(
  records: readonly ApiKeyRecord[],
  madeHere: (hash: string) => EndingKey | undefined = () => undefined,
  isLive?: (record: ApiKeyRecord) => boolean,
): Authenticate {
  const configured = (record: ApiKeyRecord) =>
    isLive === undefined ? entry(record) : endingEntry({ record, isLive: () => isLive(record) });
  const byDigest = new Map(records.map((record) => [record.hash, configured(record)]));
  return ({ authorization }) => {
    const key = bearerToken(authorization);
    if (key === undefined) return UNAUTHENTICATED;
    const digest = sha256Bytes(key);
    const hash = `sha256:${digest.toString('hex')}`;
    const found = byDigest.get(hash) ?? liveEntry(madeHere(hash));
    if (!found || !timingSafeEqual(found.digest, digest)) return UNAUTHENTICATED;
    return found.authentication;
  };
}

const UNAUTHENTICATED: Authentication = { kind: 'unauthenticated' };

function liveEntry(key: EndingKey | undefined): ReturnType<typeof entry> | undefined {
  return key?.isLive() ? endingEntry(key) : undefined;
}

function endingEntry(key: EndingKey): ReturnType<typeof entry> {
  const now = () => (key.isLive() ? 'live' : 'ended');
  return entry(key.record, { now, settle: () => undefined });
}

function entry(
  record: ApiKeyRecord,
  standing?: Standing,
): { digest: Buffer; authentication: Authentication } {
  const caller: Caller = {
    actor: record.actor,
    tenant: record.tenant,
    scopes: new Set(record.scopes),
    workspaces: record.workspaces,
    credentialId: record.id,
  };
  const digest = Buffer.from(record.hash.slice('sha256:'.length), 'hex');
  return { digest, authentication: { kind: 'caller', caller, ...(standing && { standing }) } };
}
