import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpooledBytes, SpoolFile } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { filePart } from './file-part.ts';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
const RETRY_AFTER_SECONDS = 30;

/** Opens the directory where bodies lie while they are looked at. What a killed process left there goes; one owner at a time. */
export async function openBodySpool(directory: string): Promise<Spool> {
  await rm(directory, { recursive: true, force: true });
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const path = join(directory, `${opened}.body`);
      try {
        await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
        return new BodyFile(path, await open(path, 'wx+', OWNER_ONLY));
      } catch (error) {
        throw inWords(error);
      }
    },
  };
}

/** Written from its beginning to its end, then read in any order. */
class BodyFile implements SpoolFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#size);
        done += bytesWritten;
        this.#size += bytesWritten;
      }
    } catch (error) {
      throw inWords(error);
    }
  }

  finish(): SpooledBytes {
    const { fd } = this.#file;
    return {
      size: this.#size,
      sha256: this.#hash.digest('hex'),
      read: (start, end) => bytesOf(fd, start, end),
    };
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}

/** At once and not later: the bytes were written just now, so that they are still in the memory of the operating system. */
function bytesOf(fd: number, start: number, end: number): Buffer {
  const bytes = filePart(fd, start, end);
  const at = start + bytes.length;
  if (at < end) throw new Error(`the spooled body ends at byte ${at}, before ${end}`);
  return bytes;
}

/** A disk that is full, or cannot be written for another reason, is nothing that the caller did. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const message =
    'The body cannot be kept while it is looked at: the disk takes no more. Send it again later.';
  return new ProtocolError('service_unavailable', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
