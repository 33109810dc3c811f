import { closeSync, fstatSync, openSync } from 'node:fs';
import type { ByteSource } from '../protocol/bytes.ts';
import { filePart } from '../store/file-part.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** Does something with a file that is read in parts. Throws CliError for one that cannot be read. */
export async function withFile<Result>(
  path: string,
  use: (bytes: ByteSource) => Promise<Result>,
): Promise<Result> {
  const file = openFile(path);
  try {
    return await use({ size: sizeOf(file, path), read: (start, end) => bytesOf(file, path, start, end) });
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

function sizeOf(file: number, path: string): number {
  const found = fstatSync(file);
  if (!found.isFile()) throw unreadable(path);
  return found.size;
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
