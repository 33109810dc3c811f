/**
 * The long tier: the scenarios of the quick tier in a loop, each with a seed of its own, until the time is over.
 *   npm run torture -- --minutes N [--seed S] [--only name,name]
 * Prints the counts at the end. A violation is printed with the seed that repeats it, and makes the exit code 1.
 */
import { parseArgs } from 'node:util';
import { badInput } from './bad-input.ts';
import { bitFlips } from './bit-flips.ts';
import { cancelRaces } from './cancel-races.ts';
import { killChildren } from './child-processes.ts';
import { drains } from './drain.ts';
import { canMount, fullDisk } from './full-disk.ts';
import { idempotencyRaces } from './idempotency-races.ts';
import { killNineCycles } from './kill-nine-cycles.ts';
import { nthCalls } from './nth-calls.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';
import { serverCycles } from './server-cycles.ts';

type Scenario = (seed: number, isLong: boolean) => Promise<Report>;

/** From here on a run is a long one. */
const LONG_MINUTES = 10;

/** One turn of each is seconds, so that a short run meets them all. */
const SCENARIOS: Record<string, Scenario> = {
  'kill-nine': (seed) => killNineCycles(seed, 10),
  'nth-call': (seed) => nthCalls(seed, 10),
  'full-disk': () => fullDisk(2),
  'bit-flips': (seed) => bitFlips(seed, 50),
  'idempotency-races': (seed) => idempotencyRaces(seed, 20),
  'cancel-races': (seed) => cancelRaces(seed, 1_000),
  'bad-input': (seed) => badInput(seed, 10_000),
  drain: (seed) => drains(seed, 3),
  'server-cycles': (_seed, isLong) => serverCycles(isLong ? 1_000 : 10),
};

const MS_PER_MINUTE = 60_000;
const MAX_SEED = 2 ** 31 - 1;
const USAGE = 2;

interface CommandLine {
  minutes: number;
  seed: number;
  names: string[];
}

function readCommandLine(args: string[]): CommandLine {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  const seed = values.seed === undefined ? Date.now() % MAX_SEED : Number(values.seed);
  if (!(minutes > 0) || !Number.isSafeInteger(seed))
    throw new Error('--minutes is a number above 0, --seed a whole one.');
  const possible = Object.keys(SCENARIOS).filter((name) => name !== 'full-disk' || canMount);
  const names = values.only?.split(',') ?? possible;
  const unknown = names.filter((name) => !(name in SCENARIOS));
  if (unknown.length > 0)
    throw new Error(`No such scenario: ${unknown.join(', ')}. There are ${possible.join(', ')}.`);
  return { minutes, seed, names };
}

interface Tally {
  report: Report;
  turns: number;
  failures: string[];
}

async function turn(name: string, seed: number, isLong: boolean, tally: Tally): Promise<void> {
  const report = await SCENARIOS[name]?.(seed, isLong).catch((error: unknown) => {
    const broken = new Report();
    broken.violations.push(
      `broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return broken;
  });
  if (report === undefined) return;
  tally.turns += 1;
  tally.report.add(report);
  if (report.violations.length === 0) return;
  tally.failures.push(`${name} --seed ${seed}`);
  process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}VIOLATION in ${name}, seed ${seed}:\n`);
  for (const violation of report.violations.slice(0, 20)) process.stderr.write(`  ${violation}\n`);
}

/** One line that is written over, for people only. */
function showProgress(
  name: string,
  startedAt: number,
  minutes: number,
  tallies: ReadonlyMap<string, Tally>,
): void {
  if (!process.stderr.isTTY) return;
  const done = [...tallies.values()].reduce((sum, { turns }) => sum + turns, 0);
  const failed = [...tallies.values()].reduce((sum, { failures }) => sum + failures.length, 0);
  const passed = ((performance.now() - startedAt) / MS_PER_MINUTE).toFixed(1);
  process.stderr.write(`\r\x1b[K${passed} of ${minutes} min, ${done} turns, ${failed} failed, now ${name}`);
}

async function main({ minutes, seed, names }: CommandLine): Promise<boolean> {
  process.stderr.write(`torture for ${minutes} min, seed ${seed}: ${names.join(', ')}\n`);
  const random = new SeededRandom(seed);
  const startedAt = performance.now();
  const tallies = new Map<string, Tally>(
    names.map((name) => [name, { report: new Report(), turns: 0, failures: [] }]),
  );
  const isTime = () => performance.now() - startedAt < minutes * MS_PER_MINUTE;
  for (let at = 0; isTime(); at += 1) {
    const name = names[at % names.length] ?? '';
    const tally = tallies.get(name);
    if (tally === undefined) break;
    showProgress(name, startedAt, minutes, tallies);
    // With one scenario and its first turn, --seed repeats a failure.
    await turn(name, at === 0 ? seed : random.between(0, MAX_SEED), minutes >= LONG_MINUTES, tally);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  for (const [name, { report, turns, failures }] of tallies) {
    process.stdout.write(`${name}: ${turns} turns, ${failures.length} failed\n`);
    for (const [what, count] of Object.entries(report.counts)) process.stdout.write(`  ${count} ${what}\n`);
  }
  const failures = [...tallies.values()].flatMap((tally) => tally.failures);
  for (const failure of failures)
    process.stdout.write(`repeat with: npm run torture -- --minutes 0.1 --only ${failure}\n`);
  return failures.length === 0;
}

try {
  const line = readCommandLine(process.argv.slice(2));
  process.once('exit', killChildren);
  process.once('SIGINT', () => process.exit(1));
  process.exitCode = (await main(line)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = USAGE;
} finally {
  killChildren();
}
