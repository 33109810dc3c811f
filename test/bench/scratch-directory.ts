import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A fresh directory that `removeScratch` deletes. HARN_BENCH_DIR chooses the disk; default: the system's temp directory. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(process.env['HARN_BENCH_DIR'] ?? tmpdir(), 'harn-bench-'));
  made.push(directory);
  return directory;
}

export function removeScratch(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}
