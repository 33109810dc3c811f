import { hkdfSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiKeyRecord, apiKeyHash, newApiKey } from '../auth/api-keys.ts';
import type { Random } from '../protocol/ports.ts';
import { writeFileAtomicSync } from '../store/atomic-file.ts';

const OWNER_ONLY = 0o600;
const BOX_KEY_BYTES = 32;
const PROOF_KEY_BYTES = 32;
const SECRET_BYTES = 32;
const PROOF_KEY_LABEL = 'harn-gateway redaction proof';

/** Names of what lives in the data directory besides the store. */
export function dataPaths(data: string) {
  return {
    store: join(data, 'store'),
    keys: join(data, 'keys'),
    inputKey: join(data, 'keys', 'input.key'),
    checkpoint: join(data, 'checkpoint.json'),
    devKey: join(data, 'dev-api-key'),
    apiKeys: join(data, 'api-keys.json'),
    gateway: join(data, 'gateway.json'),
    workspaces: join(data, 'workspaces'),
    agentCards: join(data, 'agent-cards'),
    spool: join(data, 'spool'),
  };
}

export interface DevelopmentKey {
  record: ApiKeyRecord;
  /** The key itself, when it was made just now; printed once. */
  fresh: string | undefined;
}

/**
 * The development key of a data directory without configured keys: made at the first start, kept in `dev-api-key` for
 * people and as a hash for the gateway (contract section 7).
 */
export function developmentKey(data: string, random: Random): DevelopmentKey {
  const paths = dataPaths(data);
  if (existsSync(paths.apiKeys)) {
    const [record] = JSON.parse(readFileSync(paths.apiKeys, 'utf8')) as ApiKeyRecord[];
    if (record) return { record, fresh: undefined };
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const key = newApiKey('dev', 'development', random);
  const record: ApiKeyRecord = {
    id: 'development',
    hash: apiKeyHash(key),
    actor: 'actor_developer',
    tenant: 'tenant_default',
    scopes: ['*'],
    workspaces: ['*'],
  };
  writeFileAtomicSync(paths.apiKeys, JSON.stringify([record]), OWNER_ONLY);
  writeFileAtomicSync(paths.devKey, `${key}\n`, OWNER_ONLY);
  return { record, fresh: key };
}

/** Makes the file of a secret, one line of 43 characters for its owner only, unless it is there. */
export function ensureSecretFile(file: string, random: Random): void {
  if (existsSync(file)) return;
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  writeFileAtomicSync(file, `${secret}\n`, OWNER_ONLY);
}

/** Key of the box that keeps inputs until they are sent; made at the first start. */
export function inputBoxKey(data: string, random: Random): Buffer {
  const { inputKey } = dataPaths(data);
  if (!existsSync(inputKey))
    writeFileAtomicSync(inputKey, Buffer.from(random.bytes(BOX_KEY_BYTES)), OWNER_ONLY);
  return readFileSync(inputKey);
}

/** Key of the proofs of redactions; made of the input key, under a label of its own. Spec: RFC 5869. */
export function redactionProofKey(data: string, random: Random): Buffer {
  const secret = inputBoxKey(data, random);
  return Buffer.from(hkdfSync('sha256', secret, '', PROOF_KEY_LABEL, PROOF_KEY_BYTES));
}

/** Where client commands find the running gateway. */
export interface RunningGateway {
  url: string;
  pid: number;
}

export function announceGateway(data: string, running: RunningGateway): void {
  writeFileAtomicSync(dataPaths(data).gateway, JSON.stringify(running), OWNER_ONLY);
}

export function withdrawGateway(data: string): void {
  rmSync(dataPaths(data).gateway, { force: true });
}
