import { once } from 'node:events';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { CliError, EXIT } from './exit-codes.ts';
import { Progress } from './progress.ts';
import { print } from './terminal.ts';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string>;

/**
 * Writes to a file, or to standard output without one. The file appears when it is complete: it is written beside its place, then
 * renamed. Throws CliError for one that cannot be written.
 */
export async function writeOut(chunks: Chunks, out: string | undefined): Promise<void> {
  if (out === undefined) {
    // Waits while the reader is slower than the source.
    for await (const chunk of chunks) if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    return;
  }
  const draft = `${out}.partial`;
  const file = openOut(draft);
  const progress = new Progress('writing');
  let written = 0;
  try {
    for await (const chunk of chunks) {
      written += writeSync(file, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      progress.update(written, 'bytes');
    }
    closeSync(file);
    renameSync(draft, out);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    progress.end();
  }
  print(`${out}: ${statSync(out).size} bytes`);
}

function openOut(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch {
    throw new CliError(`--out: ${path} cannot be written.`, EXIT.usage);
  }
}
