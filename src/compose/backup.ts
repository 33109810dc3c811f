import { readdirSync, readFileSync } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Config } from '#config/load.ts';
import type { LogCopy } from '#eventlog/event-log.ts';
import { SCHEMA_VERSION } from '#eventlog/migrate/forms.ts';
import { dataPaths, secretFiles } from '#operation/data-directory.ts';
import { asCleanObject, own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { timestamp } from '#protocol/ports.ts';
import type { BackupTools } from '#resources/backup/backup-tools.ts';
import type { BackupEnd, BackupHeader, BackupRequest } from '#resources/backup/schema.ts';
import { SECRET_NAME } from '#resources/vault/secrets/vault-row.ts';
import { BlockWriter, encodeOps } from '#store/block-stream.ts';
import { DRAFT_NAME } from '#store/file-faults.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { BLOCKS, pack, signedText } from './backup-file.ts';
import {
  BackupKeyError,
  type Recipient,
  recipientOf,
  type SecretFile,
  sealSecrets,
} from './backup-secrets.ts';
import type { OpenData } from './open-data.ts';
import type { Parts } from './parts.ts';

const PIECE_BYTES = 256 * 1024;
/** Keys and vaults are small; what is larger is none. */
const MAX_SECRET_BYTES = 16 * 1024 * 1024;

/** Makes backups of a running gateway. */
export function backupTools(
  parts: Pick<Parts, 'config' | 'version' | 'logger' | 'clock'>,
  { log, keys }: OpenData,
): BackupTools {
  const { logger } = parts;
  return {
    async make(request, { actor, signal }) {
      const { since, include } = request;
      const recipient = await recipientFor(request);
      const secrets = secretsOf(parts.config, include);
      const facts = {
        since_commit: since?.commit ?? null,
        include,
        recipient: recipient === undefined ? null : own(recipient.thumbprint),
      };
      // Asked for first, so that what cannot be made is not on record.
      await (await log.copy(since)).close();
      const resource = { object: 'log', id: log.logId };
      await log.transact({ actor }, (tx) =>
        tx.append({
          event: 'vendor.harn_gateway.backup_begun',
          resource,
          payload: asCleanObject<typeof facts>(facts),
        }),
      );
      logger.info({ actor, ...facts }, 'a backup begins');
      const copy = await log.copy(since);
      const blocks = new BackupBlocks(parts, { log, keys }, copy, { request, recipient, secrets });
      // A client that leaves before it has read anything ends no generator.
      signal.addEventListener('abort', () => void copy.close(), { once: true });
      return blocks.all();
    },
  };
}

async function recipientFor({ include, recipient }: BackupRequest): Promise<Recipient | undefined> {
  if (recipient === undefined) {
    if (include.length === 0) return undefined;
    const message = 'Keys and vaults leave the gateway encrypted only: name a recipient.';
    throw new ProtocolError('invalid_request', message, { param: 'recipient' });
  }
  try {
    return await recipientOf(recipient.jwk);
  } catch (error) {
    if (!(error instanceof BackupKeyError)) throw error;
    throw new ProtocolError('invalid_request', `recipient.jwk ${error.message}.`, { param: 'recipient.jwk' });
  }
}

/** What is encrypted; all of it is read before the first byte is sent. */
function secretsOf(config: Config, include: BackupRequest['include']): SecretFile[] {
  const { data } = config.store;
  const files = [
    ...(include.includes('keys') ? secretFiles(data).map((path) => [relative(data, path), path]) : []),
    ...(include.includes('vaults') ? config.vaults.flatMap(filesOfVault) : []),
  ].map(([name = '', path = '']) => ({ name: name.replaceAll('\\', '/'), bytes: readSecretFile(path) }));
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes <= MAX_SECRET_BYTES) return files;
  const message = `Keys and vaults have ${bytes} bytes, and a backup takes ${MAX_SECRET_BYTES}. Leave the vaults out, and copy them yourself.`;
  throw new ProtocolError('conflict', message, {
    param: 'include',
    details: { reason: 'secrets_too_large' },
  });
}

/** The files of a vault, under its id. What lies in variables is in no backup. */
function filesOfVault({ id, dir, file, key }: Config['vaults'][number]): [name: string, path: string][] {
  const named = (path: string): [string, string] => [`vaults/${id}/${basename(path)}`, path];
  return [
    ...(dir === undefined ? [] : namesIn(dir).map((name) => named(join(dir, name)))),
    ...(file === undefined ? [] : [named(file)]),
    ...(key !== undefined && 'file' in key ? [named(key.file)] : []),
  ];
}

function namesIn(dir: string): string[] {
  return onDisk(dir, () => readdirSync(dir, { withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && SECRET_NAME.test(entry.name))
    .map(({ name }) => name);
}

const readSecretFile = (path: string): Buffer => onDisk(path, () => readFileSync(path));

function onDisk<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const message = `${path} cannot be read (${code}): mend that, or leave it out.`;
    throw new ProtocolError('conflict', message, {
      param: 'include',
      details: { reason: 'secret_unreadable' },
      cause,
    });
  }
}

interface Wanted {
  request: BackupRequest;
  recipient: Recipient | undefined;
  secrets: readonly SecretFile[];
}

class BackupBlocks {
  readonly #parts: Pick<Parts, 'config' | 'version' | 'logger' | 'clock'>;
  readonly #data: OpenData;
  readonly #copy: LogCopy;
  readonly #wanted: Wanted;
  readonly #writer = new BlockWriter();
  readonly #counts = { records: 0, erased: 0, files: 0 };

  constructor(
    parts: Pick<Parts, 'config' | 'version' | 'logger' | 'clock'>,
    data: OpenData,
    copy: LogCopy,
    wanted: Wanted,
  ) {
    this.#parts = parts;
    this.#data = data;
    this.#copy = copy;
    this.#wanted = wanted;
  }

  async *all(): AsyncGenerator<Buffer, void> {
    const { recipient, secrets } = this.#wanted;
    try {
      yield this.#writer.begin();
      yield this.#json(BLOCKS.header, this.#header());
      yield* this.#records();
      yield* this.#files();
      if (recipient !== undefined) {
        const sealed = await sealSecrets(secrets, recipient);
        yield this.#writer.write({ type: BLOCKS.secrets, bytes: Buffer.from(sealed, 'latin1') });
      }
      yield this.#json(BLOCKS.end, this.#end());
      const { commit } = this.#copy.checkpoint;
      this.#parts.logger.info({ commit, ...this.#counts }, 'the backup is made');
    } finally {
      await this.#copy.close();
    }
  }

  #json(type: string, value: object): Buffer {
    return this.#writer.write({ type, bytes: Buffer.from(JSON.stringify(value)) });
  }

  #header(): BackupHeader {
    const { version, clock } = this.#parts;
    const { log, keys } = this.#data;
    const { request, recipient } = this.#wanted;
    return {
      object: 'backup',
      format: 1,
      gateway: `harn-gateway ${version}`,
      log_id: log.logId,
      schema: SCHEMA_VERSION,
      created_at: timestamp(clock.now()),
      since: request.since ?? null,
      checkpoint: this.#copy.checkpoint,
      signing_keys: { ...keys.publicJwks() } as unknown as BackupHeader['signing_keys'],
      include: request.include,
      recipient:
        recipient === undefined
          ? null
          : { thumbprint: recipient.thumbprint, passphrase: request.recipient?.passphrase ?? null },
    };
  }

  async *#records(): AsyncGenerator<Buffer, void> {
    for await (const ops of sound(this.#copy.rows())) {
      const erased = ops.filter(({ type }) => type === 'del').length;
      this.#counts.records += ops.length - erased;
      this.#counts.erased += erased;
      yield this.#writer.write({ type: BLOCKS.records, bytes: await pack(encodeOps(ops)) });
    }
  }

  /** Each as it is when its turn comes: files change whole. */
  async *#files(): AsyncGenerator<Buffer, void> {
    const { data } = this.#parts.config.store;
    const { workspaces, agentCards } = dataPaths(data);
    for (const dir of [workspaces, agentCards])
      for await (const path of filesBelow(dir)) yield* this.#file(path, relative(data, path));
  }

  async *#file(path: string, name: string): AsyncGenerator<Buffer, void> {
    const file = await ifThere(() => open(path, 'r'));
    if (file === undefined) return;
    try {
      const { size } = await file.stat();
      this.#counts.files += 1;
      yield this.#json(BLOCKS.file, { path: name.replaceAll('\\', '/'), size });
      // A stream of no bytes cannot be asked for.
      if (size === 0) return;
      const stream = file.createReadStream({ autoClose: false, end: size - 1, highWaterMark: PIECE_BYTES });
      for await (const bytes of stream)
        yield this.#writer.write({ type: BLOCKS.bytes, bytes: await pack(bytes) });
    } finally {
      await file.close();
    }
  }

  #end(): BackupEnd {
    const { digest } = this.#writer;
    const key = this.#data.keys.current();
    const signature = key.sign(signedText(digest)).toString('base64');
    return { ...this.#counts, digest, key_id: key.keyId, signature };
  }
}

/** Nothing that is damaged gets into a backup. */
async function* sound<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece, void> {
  try {
    yield* pieces;
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    const message =
      'A record of the log is not what was written, so that no backup can be made. Run "harn-gateway log check".';
    const details = { reason: 'integrity', where: error.where };
    throw new ProtocolError('resource_locked', message, { details, cause: error });
  }
}

/** Regular files, in folders of any depth; links lead elsewhere, and a draft is none yet. */
async function* filesBelow(dir: string): AsyncGenerator<string, void> {
  const entries = await ifThere(() => opendir(dir));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && entry.name !== DRAFT_NAME) yield path;
  }
}

/** What was removed meanwhile is not there. */
async function ifThere<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
