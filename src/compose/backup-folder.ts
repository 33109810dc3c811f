import { createReadStream, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BackupEnd, BackupHeader } from '#resources/backup/schema.ts';
import { syncDirectory } from '#store/atomic-file.ts';
import { acquireOwnerLock } from '#store/owner-lock.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import { BackupError, type BackupSource, readBackup, readHeader, refuseGap } from './backup-file.ts';

/** The number, the kind and the newest commit of a backup in a folder. */
const NAME = /^(\d{6})-(full|increment)-(\d+)\.backup$/;
const NUMBER_DIGITS = 6;
const DRAFT = 'unfinished.partial';
const OWNER_ONLY = 0o600;
const PRIVATE = 0o700;

export interface KeptBackup {
  file: string;
  header: BackupHeader;
  end: BackupEnd;
  bytes: number;
}

/** A backup that lies in a file. */
interface Filed {
  source: BackupSource;
  header: BackupHeader;
}

const fileSource = (path: string): BackupSource => ({ name: path, open: () => createReadStream(path) });

/** Names of backups in a folder, in their order. */
function namesIn(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => NAME.test(name))
    .sort();
}

/** Whether a path is that of a backup, and not of a data directory: a file, or a folder with backups in it. */
export function isBackupPath(path: string): boolean {
  if (!existsSync(path)) return false;
  return statSync(path).isFile() || namesIn(path).length > 0;
}

/** The newest full backup of a folder with its increments, up to the file `last` where one is named. Throws BackupError. */
async function chainIn(dir: string, last?: string): Promise<Filed[]> {
  const all = namesIn(dir);
  const names = last === undefined ? all : all.slice(0, all.indexOf(last) + 1);
  const first = names.findLastIndex((name) => NAME.exec(name)?.[2] === 'full');
  const chain: Filed[] = [];
  for (const name of names.slice(Math.max(0, first))) {
    const source = fileSource(join(dir, name));
    const header = await readHeader(source);
    refuseGap(source.name, header, chain.at(-1)?.header);
    chain.push({ source, header });
  }
  return chain;
}

/** What is restored from a path: a folder of backups, one file with those it goes on behind, or `-`, standard input. Throws BackupError. */
export async function sourcesOf(path: string, input: AsyncIterable<Uint8Array>): Promise<BackupSource[]> {
  if (path === '-') return [{ name: 'standard input', open: () => input }];
  if (!existsSync(path))
    throw new BackupError(`${path} does not exist. Name a folder of backups, a file, or -.`);
  if (statSync(path).isFile()) {
    const [dir, name] = [dirname(path), basename(path)];
    if (!NAME.test(name)) return [fileSource(path)];
    return (await chainIn(dir, name)).map(({ source }) => source);
  }
  const chain = await chainIn(path);
  if (chain.length === 0)
    throw new BackupError(`${path} holds no backup. Name the folder, or a file, that "backup" wrote.`);
  return chain.map(({ source }) => source);
}

/** A folder that backups are kept in, while one is added; made when missing. */
export class BackupFolder {
  readonly #dir: string;
  readonly #chain: readonly Filed[];
  readonly #release: () => Promise<void>;
  /** Why the backups that are there cannot be gone on with. */
  readonly broken: string | undefined;

  private constructor(dir: string, chain: readonly Filed[], release: () => Promise<void>, broken?: string) {
    this.#dir = dir;
    this.#chain = chain;
    this.#release = release;
    this.broken = broken;
  }

  /** Rejects with BackupError while another backup is written there. */
  static async open(dir: string): Promise<BackupFolder> {
    const release = await owned(dir);
    try {
      rmSync(join(dir, DRAFT), { force: true });
      return new BackupFolder(dir, await chainIn(dir), release);
    } catch (error) {
      if (error instanceof BackupError) return new BackupFolder(dir, [], release, error.message);
      await release();
      throw error;
    }
  }

  /** The backup that an increment goes on behind; undefined where there is none. */
  get newest(): BackupHeader | undefined {
    return this.#chain.at(-1)?.header;
  }

  /**
   * Writes a backup as it comes, and looks at it as it is written: the file appears when it is whole and on the disk. Throws
   * BackupError; nothing is left then.
   */
  async keep(chunks: AsyncIterable<Uint8Array>, before: BackupHeader | undefined): Promise<KeptBackup> {
    const draft = join(this.#dir, DRAFT);
    const file = await this.#onDisk(() => open(draft, 'w', OWNER_ONLY));
    try {
      const written = writtenThrough(chunks, (chunk) => this.#onDisk(() => file.writeFile(chunk)));
      const { header, end } = await this.#read(written, before);
      await this.#onDisk(() => file.sync());
      const { size: bytes } = await file.stat();
      await file.close();
      const path = join(this.#dir, this.#nameFor(header));
      renameSync(draft, path);
      await syncDirectory(this.#dir);
      return { file: path, header, end, bytes };
    } catch (error) {
      await file.close();
      rmSync(draft, { force: true });
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#release();
  }

  async #read(
    chunks: AsyncIterable<Uint8Array>,
    before: BackupHeader | undefined,
  ): Promise<{ header: BackupHeader; end: BackupEnd }> {
    let header: BackupHeader | undefined;
    let end: BackupEnd | undefined;
    const source = { name: 'What the gateway sent', open: () => chunks };
    for await (const item of readBackup(source, before)) {
      if (item.kind === 'header') {
        this.#refuseOther(item.header);
        header = item.header;
      }
      if (item.kind === 'end') end = item.end;
    }
    if (header === undefined || end === undefined) throw new BackupError('The gateway sent no backup.');
    return { header, end };
  }

  #refuseOther({ log_id }: BackupHeader): void {
    const known = this.newest?.log_id ?? log_id;
    if (known === log_id) return;
    throw new BackupError(
      `${this.#dir} holds backups of another gateway (log ${known}, not ${log_id}). Choose another folder.`,
    );
  }

  #nameFor({ since, checkpoint }: BackupHeader): string {
    const newest = namesIn(this.#dir).at(-1);
    const number = String(Number(newest?.slice(0, NUMBER_DIGITS) ?? 0) + 1).padStart(NUMBER_DIGITS, '0');
    return `${number}-${since === null ? 'full' : 'increment'}-${checkpoint.commit}.backup`;
  }

  async #onDisk<Done>(act: () => Promise<Done>): Promise<Done> {
    try {
      return await act();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      const why = code === 'ENOSPC' ? 'its disk is full' : code;
      throw new BackupError(
        `${this.#dir} cannot be written: ${why}. Nothing of this backup is kept, and the ones before are as they were. ` +
          'Free room, or choose another folder, and run it again.',
        { cause: error },
      );
    }
  }
}

async function owned(dir: string): Promise<() => Promise<void>> {
  try {
    await mkdir(dir, { recursive: true, mode: PRIVATE });
    const lock = await acquireOwnerLock(dir);
    return () => lock.release();
  } catch (error) {
    if (error instanceof StoreOpenError && error.reason === 'locked')
      throw new BackupError(`Another backup is being written to ${dir}. Wait for its end.`);
    throw new BackupError(`${dir} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The same pieces, each written before it is looked at. */
export async function* writtenThrough(
  chunks: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    await write(chunk);
    yield chunk;
  }
}
