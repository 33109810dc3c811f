import { mkdirSync } from 'node:fs';
import type { Bench, Row } from './bench.ts';
import { BENCHES } from './benches.ts';
import { stopChildren } from './child.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { machineRows } from './machine.ts';
import { removeScratch } from './scratch-directory.ts';
import { formatTable } from './table.ts';

/** Prints the figures of quality.md with their baselines. A missed target is no failure; a bench that breaks is. */
async function main(): Promise<void> {
  const line = readCommandLine(process.argv.slice(2));
  if (line.profileDir !== undefined) mkdirSync(line.profileDir, { recursive: true });
  const rows: Row[] = machineRows();
  for (const bench of chosen(line)) {
    process.stderr.write(`${bench.id} ${bench.title}\n`);
    rows.push(...(await bench.run({ ...line, progress: (text) => process.stderr.write(`   ${text}\n`) })));
  }
  process.stdout.write(line.json ? `${JSON.stringify(rows, null, 2)}\n` : `${formatTable(rows)}\n`);
}

function chosen({ only }: CommandLine): Bench[] {
  if (only === undefined) return [...BENCHES];
  const unknown = only.filter((id) => !BENCHES.some((bench) => bench.id === id));
  if (unknown.length > 0) throw new Error(`No such bench: ${unknown.join(', ')}`);
  return BENCHES.filter((bench) => only.includes(bench.id));
}

try {
  await main();
} catch (error) {
  process.stderr.write(
    `the bench broke: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`,
  );
  process.exitCode = 1;
} finally {
  await stopChildren();
  removeScratch();
}
