import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { ByteSource } from '#protocol/bytes.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { filePart } from '#store/file-part.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** Does something with a file that is read in parts; a pipe is held as a whole. Throws CliError for one that cannot be read. */
export async function withFile<Result>(
  path: string,
  use: (bytes: ByteSource) => Promise<Result>,
): Promise<Result> {
  const file = openFile(path);
  try {
    return await use(sourceOf(file, path));
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch {
    throw unreadable(path);
  }
}

function sourceOf(file: number, path: string): ByteSource {
  const found = fstatSync(file);
  if (found.isFIFO()) return inMemory(readFileSync(file));
  if (!found.isFile()) throw unreadable(path);
  return { size: found.size, read: (start, end) => bytesOf(file, path, start, end) };
}

function bytesOf(file: number, path: string, start: number, end: number): Buffer {
  const bytes = filePart(file, start, end);
  if (bytes.length < end - start)
    throw new CliError(`${path} became shorter while it was read. Run the command again.`);
  return bytes;
}

function unreadable(path: string): CliError {
  return new CliError(`${path} cannot be read.`, EXIT.usage);
}
