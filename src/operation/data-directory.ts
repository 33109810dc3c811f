import { createHash, hkdfSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ApiKeyRecord, apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Random } from '#protocol/ports.ts';
import { writeFileAtomicSync } from '#store/atomic-file.ts';
import { checkedText, DataFileError, hasMembers, readCheckedText } from '#store/checked-file.ts';

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
    sampleSecret: join(data, 'sample-connector-secret'),
    gateway: join(data, 'gateway.json'),
    workspaces: join(data, 'workspaces'),
    agentCards: join(data, 'agent-cards'),
    replayCheck: join(data, 'replay-check.json'),
    spool: join(data, 'spool'),
    migration: join(data, 'migration'),
  };
}

/** Files that let somebody sign, read or call as this gateway; those that are there. */
export function secretFiles(data: string): string[] {
  const { keys, devKey, apiKeys, sampleSecret } = dataPaths(data);
  const inKeys = existsSync(keys) ? readdirSync(keys).map((name) => join(keys, name)) : [];
  return [...inKeys, devKey, apiKeys, sampleSecret, `${sampleSecret}.sha256`].filter(
    (path) => !path.endsWith('.draft') && existsSync(path),
  );
}

export interface DevelopmentKey {
  record: ApiKeyRecord;
  /** The key itself, when it was made just now; printed once. */
  fresh: string | undefined;
}

/**
 * The development key of a data directory without configured keys: made at the first start, kept in `dev-api-key` for
 * people and as a hash for the gateway; see README.md.
 */
export function developmentKey(data: string, random: Random): DevelopmentKey {
  const paths = dataPaths(data);
  const kept = keptDevelopmentKey(data);
  if (kept !== undefined) {
    checkDevelopmentKey(paths.devKey, kept);
    return { record: kept, fresh: undefined };
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
  writeDevelopmentKey(data, record);
  writeFileAtomicSync(paths.devKey, `${key}\n`, OWNER_ONLY);
  return { record, fresh: key };
}

/**
 * Throws when the file holds another key, which people would use and be refused. It may be missing: the gateway needs the hash
 * alone.
 */
function checkDevelopmentKey(path: string, { hash }: ApiKeyRecord): void {
  if (!existsSync(path) || apiKeyHash(readFileSync(path, 'utf8').trim()) === hash) return;
  const why = 'is not the key whose hash api-keys.json holds';
  const remedy =
    'Write the key that the first start printed into it; or remove both files, and the next start makes a new development key.';
  throw new DataFileError(path, why, remedy);
}

/**
 * Makes the file of a secret, one line of 43 characters for its owner only, unless it is there, and its checksum beside it.
 * Throws DataFileError.
 */
export function ensureSecretFile(file: string, random: Random): void {
  const remedy =
    'Restore both from a backup; or remove both, and the next start makes a new secret, which its senders need too.';
  summedFile(file, remedy, () => `${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}\n`);
}

/** What `api-keys.json` holds; a file of an older version, a list without a checksum, is written anew with one. */
function keptDevelopmentKey(data: string): ApiKeyRecord | undefined {
  const path = dataPaths(data).apiKeys;
  return readDataFile(path, NEW_DEVELOPMENT_KEY, (value, isChecked) => {
    const keys = isChecked && hasMembers(value, ['keys']) ? value['keys'] : isChecked ? undefined : value;
    if (!Array.isArray(keys) || keys.length === 0) throw new Error('lists no keys');
    const [record] = keys.map(apiKeyRecord);
    if (record !== undefined && !isChecked) writeDevelopmentKey(data, record);
    return record;
  });
}

const NEW_DEVELOPMENT_KEY =
  'Restore it from a backup; or remove it, and the next start makes a new development key.';

function writeDevelopmentKey(data: string, record: ApiKeyRecord): void {
  writeFileAtomicSync(dataPaths(data).apiKeys, checkedText({ keys: [{ ...record }] } as never), OWNER_ONLY);
}

function apiKeyRecord(value: JsonValue, index: number): ApiKeyRecord {
  const where = `keys[${index}]`;
  if (!hasMembers(value, ['id', 'hash', 'actor', 'tenant', 'scopes', 'workspaces']))
    throw new Error(`${where} is no API key`);
  const { id, hash, actor, tenant, scopes, workspaces } = value;
  const texts = { id, actor, tenant };
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== 'string' || text === '') throw new Error(`${where}.${name} is no text`);
  if (typeof hash !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(hash))
    throw new Error(`${where}.hash is no SHA-256`);
  for (const [name, list] of Object.entries({ scopes, workspaces }))
    if (
      !Array.isArray(list) ||
      list.length === 0 ||
      list.some((item) => typeof item !== 'string' || item === '')
    )
      throw new Error(`${where}.${name} is no list of texts`);
  return value as unknown as ApiKeyRecord;
}

/** Key of the box that keeps inputs until they are sent; made at the first start. Throws DataFileError. */
export function inputBoxKey(data: string, random: Random): Buffer {
  const { inputKey } = dataPaths(data);
  const key = summedFile(inputKey, RESTORE_INPUT_KEY, () => Buffer.from(random.bytes(BOX_KEY_BYTES)));
  if (key.length !== BOX_KEY_BYTES)
    throw new DataFileError(inputKey, `holds no key of ${BOX_KEY_BYTES} bytes`, RESTORE_INPUT_KEY);
  return key;
}

/**
 * The bytes of a file that is made when it is missing. It is no JSON, so its checksum stands beside it, as sha256sum writes it;
 * one of an older version gets its checksum now. Throws DataFileError.
 */
function summedFile(path: string, remedy: string, made: () => Buffer | string): Buffer {
  const sums = `${path}.sha256`;
  if (!existsSync(path)) {
    const why = 'is missing, while its checksum is there';
    if (existsSync(sums)) throw new DataFileError(path, why, remedy);
    writeFileAtomicSync(path, made(), OWNER_ONLY);
  }
  const bytes = readFileSync(path);
  const sum = `${createHash('sha256').update(bytes).digest('hex')}  ${basename(path)}\n`;
  if (!existsSync(sums)) writeFileAtomicSync(sums, sum, OWNER_ONLY);
  else if (readFileSync(sums, 'utf8') !== sum)
    throw new DataFileError(path, `does not match ${sums}`, remedy);
  return bytes;
}

const RESTORE_INPUT_KEY =
  'Restore both from a backup. Without one remove both: what waits to be sent and holds a secret can then not be sent any more.';

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

export function announceGateway(data: string, { url, pid }: RunningGateway): void {
  writeFileAtomicSync(dataPaths(data).gateway, checkedText({ url, pid }), OWNER_ONLY);
}

/** The gateway that says it runs on a data directory; undefined where none does. Throws DataFileError. */
export function announcedGateway(data: string): RunningGateway | undefined {
  return readDataFile(dataPaths(data).gateway, WRITTEN_AT_START, (value) => {
    if (!hasMembers(value, ['url', 'pid'])) throw new Error('is no address of a gateway');
    const { url, pid } = value;
    if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('url is no URL');
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid)) throw new Error('pid is no process id');
    return { url, pid };
  });
}

const WRITTEN_AT_START = 'Name the gateway with --url, or restart it: it writes this file at its start.';

export function withdrawGateway(data: string): void {
  rmSync(dataPaths(data).gateway, { force: true });
}

/** Looks at every kept card of an agent. Throws DataFileError. */
export function checkKeptCards(data: string): void {
  const dir = dataPaths(data).agentCards;
  if (!existsSync(dir)) return;
  const files = readdirSync(dir).filter((name) => name.endsWith('.json'));
  for (const name of files) readKeptCard(join(dir, name));
}

/** The record of a card, of an older version without a checksum too; undefined where there is none. Throws DataFileError. */
export function readKeptCard(path: string): string | undefined {
  return readDataFile(path, 'Remove it: the card is read from its agent again.', (value, isChecked, text) => {
    if (!isChecked) {
      const isOlder =
        value !== null && typeof value === 'object' && !Array.isArray(value) && !('record' in value);
      if (!isOlder) throw new Error('is no card');
      return text;
    }
    const record = hasMembers(value, ['record']) ? value['record'] : undefined;
    if (typeof record !== 'string') throw new Error('holds no card');
    return record;
  });
}

/** Size of the files of the store, in bytes; those that a compaction removes meanwhile are none. */
export async function storeBytes(data: string): Promise<number> {
  const { store } = dataPaths(data);
  const sizes = (await readdir(store)).map((name) =>
    stat(join(store, name)).then(
      ({ size }) => size,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return 0;
      },
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Reads a file beside the store by its shape; undefined where there is none. Throws DataFileError, with what to do. */
function readDataFile<Read>(
  path: string,
  remedy: string,
  shape: (value: JsonValue, isChecked: boolean, text: string) => Read,
): Read | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    const { value, isChecked } = readCheckedText(text);
    return shape(value, isChecked, text);
  } catch (error) {
    throw new DataFileError(path, error instanceof Error ? error.message : String(error), remedy);
  }
}
